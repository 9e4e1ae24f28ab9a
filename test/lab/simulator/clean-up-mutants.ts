import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { PostWrite } from "../../../services/dispatch/protocol/post-store.ts";
import { type Mutant, withSink } from "./mutant.ts";

/** The protocol without a protection that the deletion of messages needs (D68). */
export const CLEAN_UP_MUTANTS: Readonly<Record<string, Mutant>> = {
  "a deletion without a response counts as made": {
    ports: (ports) =>
      withSink(ports, ({ remove }) => ({
        async remove(...args) {
          const outcome = await remove!(...args);
          return outcome.kind === "retry" ? { kind: "removed" } : outcome;
        },
      })),
  },
  "a message that was gone before its deletion is a failure": {
    ports: (ports) =>
      withSink(ports, ({ remove }) => ({
        async remove(...args) {
          const outcome = await remove!(...args);
          return outcome.kind === "gone" ? { ...outcome, kind: "rejected", scope: "payload" } : outcome;
        },
      })),
  },
  "the number of deleted messages is not stored": {
    ports: ({ store, ...ports }) => ({
      ...ports,
      store: { ...store, write: (at, write) => store.write(at, withoutProgress(write)) },
    }),
  },
  "the deletion of a message stays when its event is moved": {
    ports: ({ owners, ...ports }) => {
      const ends = new Map<string, number>();
      return {
        ...ports,
        owners: {
          ...owners,
          async occurrence(guildId, id, holidaysOf) {
            const occurrence = await owners.occurrence(guildId, id, holidaysOf);
            if (occurrence === null) return null;
            const endsAt = ends.get(id) ?? occurrence.endsAt;
            ends.set(id, endsAt);
            return { ...occurrence, endsAt };
          },
        },
      };
    },
  },
  "the messages of a deleted announcement are deleted": {
    ports: ({ owners, ...ports }) => {
      const known = new Map<string, Announcement>();
      return {
        ...ports,
        owners: {
          ...owners,
          async announcement(guildId, id) {
            const announcement = await owners.announcement(guildId, id);
            if (announcement !== null) known.set(id, announcement);
            return announcement ?? known.get(id) ?? null;
          },
        },
      };
    },
  },
};

function withoutProgress(write: PostWrite): PostWrite {
  const { message } = write;
  return message === undefined ? write : { ...write, message: { ...message, deleted: undefined } };
}
