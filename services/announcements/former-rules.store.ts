import { type Model, Schema } from "mongoose";
import {
  type FormerState,
  type FormerStateRow,
  formerStatesSince,
  storedStateExpression,
} from "../../mixins/mongo/former-state.ts";
import type { AnnouncementRule } from "../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../contracts/ids.ts";

/** The rule that was in force before a change ended it. */
export interface FormerFields extends FormerState, Omit<AnnouncementRule, "id" | "enabled" | "standsSince" | "until"> {
  readonly standsSince: Date;
}

const formerPaths = {
  guildId: String,
  until: Date,
  channel: String,
  type: String,
  eventId: String,
  eventColor: String,
  hours: Number,
  minutes: Number,
  revision: Number,
  standsSince: Date,
} satisfies Record<keyof FormerFields, unknown>;

/** A schema of its own: one of its paths is named `type`, by which Mongoose else knows a type. */
export const formerSchema = new Schema<FormerFields>(formerPaths, { _id: false });

const RULE = storedStateExpression(
  "channel",
  "type",
  "eventId",
  "eventColor",
  "hours",
  "minutes",
  "revision",
  "standsSince",
);

/** Computes `former` from the stored row, in the update that replaces it: one that was disabled was not in force. */
export const FORMER_RULE = { former: { $cond: ["$enabled", RULE, "$former"] } } as const;

/** The guild's rules that a change after an instant ended, as they were before the last such change. */
export async function formerRules<Row>(
  model: Model<Row>,
  guildId: GuildId,
  after: EpochMs,
): Promise<AnnouncementRule[]> {
  return (await formerStatesSince<Row, FormerFields>(model, guildId, after)).map(ruleOf);
}

function ruleOf({ _id, former }: FormerStateRow<FormerFields>): AnnouncementRule {
  const { guildId: _, standsSince, until, ...rule } = former;
  const stood = { standsSince: standsSince.getTime(), until: until.getTime() };
  return { ...rule, ...stood, id: _id as AnnouncementId, enabled: true };
}
