import type { Holiday } from "../../../services/contracts/holidays.ts";
import type { Mutant } from "./mutant.ts";

/** The protocol without a protection that holidays need (D66). */
export const HOLIDAY_MUTANTS: Readonly<Record<string, Mutant>> = {
  "the holiday is not read at the due instant": {
    ports: ({ owners, ...ports }) => ({
      ...ports,
      owners: { ...owners, occurrence: (guildId, id) => owners.occurrence(guildId, id) },
    }),
  },
  "the holiday at the due instant is the first one that was read": {
    ports: ({ owners, ...ports }) => {
      const first = new Map<string, readonly Holiday[]>();
      return {
        ...ports,
        owners: {
          ...owners,
          async occurrences(params) {
            const read = await owners.occurrences(params);
            for (const { occurrenceId, holidays } of read.occurrences) {
              if (holidays !== undefined && !first.has(occurrenceId)) first.set(occurrenceId, holidays);
            }
            return read;
          },
          async occurrence(guildId, id, holidaysOf) {
            const found = await owners.occurrence(guildId, id, holidaysOf);
            const holidays = first.get(id);
            return found && holidays !== undefined ? { ...found, holidays } : found;
          },
        },
      };
    },
  },
};
