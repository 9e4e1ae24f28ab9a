import type { Pause } from "../../../services/contracts/pause.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Owners } from "../../../services/dispatch/protocol/ports.ts";
import type { Mutant } from "./mutant.ts";

function withoutPause<Paused extends Pause>({ pausedUntil: _, pauseEndedAt: __, ...record }: Paused): Paused {
  return record as unknown as Paused;
}

function withoutEndedPause<Paused extends Pause>({ pauseEndedAt: _, ...record }: Paused): Paused {
  return record as unknown as Paused;
}

function withoutEventPause({ eventPausedUntil: _, ...occurrence }: Occurrence): Occurrence {
  return occurrence;
}

/** The reads at the due instant with other pauses; reads for plans stay as they are. */
function readsWith(owners: Owners, change: <Paused extends Pause>(record: Paused) => Paused): Partial<Owners> {
  return {
    settings: async (guildId) => change(await owners.settings(guildId)),
    async announcement(guildId, id) {
      const announcement = await owners.announcement(guildId, id);
      return announcement && change(announcement);
    },
  };
}

/** The protocol without a protection that pauses need (D62). */
export const PAUSE_MUTANTS: Readonly<Record<string, Mutant>> = {
  "the pause is not read at the due instant": {
    ports: ({ owners, ...ports }) => ({
      ...ports,
      owners: {
        ...owners,
        ...readsWith(owners, withoutPause),
        async occurrence(guildId, id) {
          const occurrence = await owners.occurrence(guildId, id);
          return occurrence && withoutEventPause(occurrence);
        },
      },
    }),
  },
  "a pause that was ended is forgotten": {
    ports: ({ owners, ...ports }) => ({ ...ports, owners: { ...owners, ...readsWith(owners, withoutEndedPause) } }),
  },
};
