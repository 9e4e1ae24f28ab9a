import type { Model } from "mongoose";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { AnyRow, EventDocument } from "./calendar-event.document.ts";
import { mayHoldKind } from "./domain/lanes.ts";
import { lanePrefix, lanesOf } from "./event-filing.ts";

/** Of how many kinds the series of a calendar may be. */
export interface KindLimit {
  /** Whether the row is of a kind that its calendar has no series of yet. */
  isNew(row: EventDocument): Promise<boolean>;
  /** Refuses a new kind when the calendar has the most already. */
  refusal(row: EventDocument): Promise<Refusal | undefined>;
}

export function kindLimit(model: Model<AnyRow>): KindLimit {
  return {
    async isNew({ guildId, lane, recurrence }) {
      return recurrence !== undefined && (await model.exists({ guildId, lane })) === null;
    },

    async refusal({ guildId, calendarNumber, lane }) {
      const lanes = await model.distinct("lane", { guildId, lane: lanesOf(calendarNumber) });
      const prefix = lanePrefix(calendarNumber).length;
      const names = lanes.map((each) => each.slice(prefix));
      return mayHoldKind(names, lane.slice(prefix)) ? undefined : refuse("TOO_MANY_KINDS");
    },
  };
}
