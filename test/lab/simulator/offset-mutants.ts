import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Ports } from "../../../services/dispatch/protocol/ports.ts";
import { type Mutant, withSink } from "./mutant.ts";

/** The owners with other occurrences, in reads for plans and at the due instant. */
function withOccurrences({ owners, ...ports }: Ports, change: (occurrence: Occurrence) => Occurrence): Ports {
  return {
    ...ports,
    owners: {
      ...owners,
      async occurrences(params) {
        const { occurrences, former = [], truncated } = await owners.occurrences(params);
        return { occurrences: occurrences.map(change), former: former.map(change), truncated };
      },
      async occurrence(...params) {
        const occurrence = await owners.occurrence(...params);
        return occurrence && change(occurrence);
      },
    },
  };
}

function withoutEndSetAt({ endSetAt: _, ...occurrence }: Occurrence): Occurrence {
  return occurrence;
}

/** The protocol without a protection that offsets need (D54). */
export const OFFSET_MUTANTS: Readonly<Record<string, Mutant>> = {
  "events that have started are not read": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        async occurrences(params) {
          const read = await ports.owners.occurrences(params);
          const isAhead = ({ startsAt }: Occurrence) => params.anchor !== undefined || startsAt >= ports.clock.now();
          return { ...read, occurrences: read.occurrences.filter(isAhead) };
        },
      },
    }),
  },
  "events are read by their starts for posts by their ends": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        occurrences: ({ anchor, ...params }) =>
          ports.owners.occurrences(anchor === "CREATED" ? { ...params, anchor } : params),
      },
    }),
  },
  "the changes of events are not known": {
    ports: (ports) => withOccurrences(ports, ({ rescheduledAt: _, ...event }) => event),
  },
  "the time at which an end was set is not known": { ports: (ports) => withOccurrences(ports, withoutEndSetAt) },
  "an event that is moved counts as created": {
    ports: (ports) => withOccurrences(ports, (event) => ({ ...event, createdAt: event.scheduledAt })),
  },
  "posts by different offsets have the same nonce": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        send({ postId, part, ...message }, timeoutMs) {
          const [announcement, event] = postId.split(":", 2);
          const nonce = `${announcement}:${event}:${part}`;
          return sink.send({ ...message, postId, part, nonce }, timeoutMs);
        },
      })),
  },
};
