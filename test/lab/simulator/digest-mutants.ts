import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Mutant } from "./mutant.ts";

/** The protocol without a protection that digests need (D65). */
export const DIGEST_MUTANTS: Readonly<Record<string, Mutant>> = {
  "an empty digest is posted": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        async digest(params) {
          const found = await ports.owners.digest(params);
          return found && withEntries(found);
        },
      },
    }),
  },
  "the zone of a digest is that of its plan": {
    ports: (ports) => {
      const planned = new Map<string, Occurrence>();
      return {
        ...ports,
        owners: {
          ...ports.owners,
          async occurrences(params) {
            const read = await ports.owners.occurrences(params);
            for (const each of read.occurrences) {
              if (!planned.has(each.occurrenceId)) planned.set(each.occurrenceId, each);
            }
            const occurrences = read.occurrences.map((each) => planned.get(each.occurrenceId) ?? each);
            return {
              ...read,
              occurrences: occurrences.map((each, at) => (each.digest ? each : read.occurrences[at]!)),
            };
          },
          async digest(params) {
            const found = await ports.owners.digest(params);
            const before = found && planned.get(found.occurrenceId);
            return before ? withEntries(before) : found;
          },
        },
      };
    },
  },
};

function withEntries(digest: Occurrence): Occurrence {
  if (digest.digest === undefined) return digest;
  return { ...digest, digest: { ...digest.digest, entries: [{ startsAt: digest.startsAt, endsAt: digest.startsAt }] } };
}
