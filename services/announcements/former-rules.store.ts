import { type Model, Schema } from "mongoose";
import { complete } from "../../mixins/objects/complete.ts";
import {
  type FormerState,
  type FormerStateRow,
  findFormerStatesAfter,
  formerStateExpression,
} from "../../mixins/mongo/former-state.ts";
import type { Digest } from "../contracts/announcement-digests.ts";
import type { PostOffset } from "../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../contracts/announcements.contract.ts";
import type { SkipOn } from "../contracts/holidays.ts";
import type { Pause } from "../contracts/pause.ts";
import type { MessageEditing } from "../contracts/posted-messages.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../contracts/ids.ts";

/**
 * The rule that was in force until a change ended it. Neither a pause nor a holiday prevents a row of the history, and a former rule
 * edits or deletes no message: they are not needed.
 */
export interface FormerRuleFields
  extends
    FormerState,
    Omit<AnnouncementRule, "id" | "enabled" | "standsSince" | "until" | keyof (Pause & SkipOn & MessageEditing)> {
  readonly standsSince: Date;
}

/** The stored form of an offset (D54). */
export const offsetPaths = {
  anchor: String,
  minutes: Number,
  _id: false,
} satisfies Record<keyof PostOffset | "_id", unknown>;

/** The stored form of a digest (D65). */
export const digestSchema = new Schema<Digest>(
  {
    calendarNumber: Number,
    frequency: String,
    weekday: String,
    time: String,
    days: Number,
    color: String,
    emptyText: String,
  } satisfies Record<keyof Digest, unknown>,
  { _id: false },
);

const formerPaths = {
  guildId: String,
  until: Date,
  channel: String,
  type: String,
  eventId: String,
  eventColor: String,
  hours: Number,
  minutes: Number,
  offsets: { type: [offsetPaths], default: undefined },
  digest: digestSchema,
  revision: Number,
  standsSince: Date,
} satisfies Record<keyof FormerRuleFields, unknown>;

/** A separate schema, because Mongoose would read the path `type` of a nested object as a type. */
export const formerSchema = new Schema<FormerRuleFields>(formerPaths, { _id: false });

const RULE = formerStateExpression(...Object.keys(formerPaths));

/**
 * The expression for `former`, computed from the stored row in the update that replaces it. If the stored rule is disabled, it
 * was not in force, and `former` stays.
 */
export const FORMER_RULE = { former: { $cond: ["$enabled", RULE, "$former"] } } as const;

/** Reads the rules of the guild that were ended by a change after an instant. */
export async function formerRules<Row>(
  model: Model<Row>,
  guildId: GuildId,
  after: EpochMs,
): Promise<AnnouncementRule[]> {
  return (await findFormerStatesAfter<Row, FormerRuleFields>(model, guildId, after)).map(ruleOf);
}

function ruleOf({ _id, former }: FormerStateRow<FormerRuleFields>): AnnouncementRule {
  const { guildId: _, standsSince, until, ...rule } = former;
  return complete<Omit<AnnouncementRule, keyof (Pause & SkipOn & MessageEditing)>>()({
    ...rule,
    standsSince: standsSince.getTime(),
    until: until.getTime(),
    id: _id as AnnouncementId,
    enabled: true,
  });
}
