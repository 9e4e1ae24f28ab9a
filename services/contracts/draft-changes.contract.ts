import {
  type AnnouncementReference,
  type CreateAnnouncementParams,
  createAnnouncement,
  removeAnnouncement,
  type UpdateAnnouncementParams,
  updateAnnouncement,
} from "./announcements.contract.ts";
import {
  type CreateEventParams,
  createEvent,
  type RemoveEventParams,
  removeEvent,
  type UpdateEventParams,
  updateEvent,
} from "./calendar-events.contract.ts";
import { type UpdateCalendarParams, updateCalendar } from "./calendars.contract.ts";
import type { ActionContract } from "./contract.ts";
import { oneOf } from "./field-rules.ts";
import { type GuildSettingsChanges, updateGuildSettings } from "./guild-settings.contract.ts";
import type { AnnouncementId, EventId, GuildId } from "./ids.ts";
import type { IfRevision } from "./revision.ts";

/** The params of the write that each draft change stands for, without the guild. */
export interface DraftParams {
  readonly CREATE_EVENT: Omit<CreateEventParams, "guildId">;
  readonly UPDATE_EVENT: Omit<UpdateEventParams, "guildId">;
  readonly DELETE_EVENT: Omit<RemoveEventParams, "guildId">;
  readonly CREATE_ANNOUNCEMENT: Omit<CreateAnnouncementParams, "guildId">;
  readonly UPDATE_ANNOUNCEMENT: Omit<UpdateAnnouncementParams, "guildId">;
  readonly DELETE_ANNOUNCEMENT: Omit<AnnouncementReference & IfRevision, "guildId">;
  readonly UPDATE_SETTINGS: GuildSettingsChanges & IfRevision;
  readonly UPDATE_CALENDAR: Omit<UpdateCalendarParams, "guildId">;
}
export type DraftAction = keyof DraftParams;

/** A change that is not stored (D58): an action, and beside it the params of the write for which it stands. */
export type DraftChange =
  | ({ readonly action: "CREATE_EVENT" } & DraftParams["CREATE_EVENT"])
  | ({ readonly action: "UPDATE_EVENT" } & DraftParams["UPDATE_EVENT"])
  | ({ readonly action: "DELETE_EVENT" } & DraftParams["DELETE_EVENT"])
  | ({ readonly action: "CREATE_ANNOUNCEMENT" } & DraftParams["CREATE_ANNOUNCEMENT"])
  | ({ readonly action: "UPDATE_ANNOUNCEMENT" } & DraftParams["UPDATE_ANNOUNCEMENT"])
  | ({ readonly action: "DELETE_ANNOUNCEMENT" } & DraftParams["DELETE_ANNOUNCEMENT"])
  | ({ readonly action: "UPDATE_SETTINGS" } & DraftParams["UPDATE_SETTINGS"])
  | ({ readonly action: "UPDATE_CALENDAR" } & DraftParams["UPDATE_CALENDAR"]);

/** The write for which each action stands. Its rules are those of the change. */
export const DRAFTED_WRITES = {
  CREATE_EVENT: createEvent,
  UPDATE_EVENT: updateEvent,
  DELETE_EVENT: removeEvent,
  CREATE_ANNOUNCEMENT: createAnnouncement,
  UPDATE_ANNOUNCEMENT: updateAnnouncement,
  DELETE_ANNOUNCEMENT: removeAnnouncement,
  UPDATE_SETTINGS: updateGuildSettings,
  UPDATE_CALENDAR: updateCalendar,
} as const satisfies Record<DraftAction, Pick<ActionContract<never, unknown>, "params">>;
const DRAFT_ACTIONS = Object.keys(DRAFTED_WRITES) as DraftAction[];

/** The refusals of the writes, which a draft of them has as well. */
export const DRAFT_REFUSALS = [
  ...new Set(
    Object.values<Pick<ActionContract<never, unknown>, "refusals">>(DRAFTED_WRITES).flatMap(
      ({ refusals = [] }) => refusals,
    ),
  ),
];

/** Changes in one request. */
export const MAX_DRAFT_CHANGES = 50;

/**
 * The id of the event that a change creates, also by splitting a series (D51): later changes can refer to it. No stored event
 * has it: its time is 1970.
 */
export function draftEventId(at: number): EventId {
  return `e${String(at).padStart(25, "0")}` as EventId;
}

/** The id of the announcement that a change creates. No stored announcement has it. */
export function draftAnnouncementId(at: number): AnnouncementId {
  return `00000000-0000-0000-0000-${String(at).padStart(12, "0")}` as AnnouncementId;
}

interface Rule {
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly custom?: unknown;
  readonly props?: Readonly<Record<string, Rule>>;
}

/**
 * A rule with the limits of a param, which accepts null and may be absent. Its custom checks are removed, because in a list they
 * do not know the index of the entry: each entry is also checked as the params of its write.
 */
function limitsOf(rule: Rule): Rule {
  const { props } = rule;
  const members =
    props === undefined
      ? {}
      : { props: Object.fromEntries(Object.entries(props).map(([name, each]) => [name, limitsOf(each)])) };
  return {
    ...rule,
    ...members,
    optional: true,
    nullable: true,
    custom: undefined,
  };
}

function limitsOfEveryWrite(): Readonly<Record<string, Rule>> {
  const rules = Object.values(DRAFTED_WRITES).flatMap(({ params }) => Object.entries(params as Record<string, Rule>));
  return Object.fromEntries(rules.filter(([name]) => name !== "guildId").map(([name, rule]) => [name, limitsOf(rule)]));
}

/** The rule of a list of draft changes. An entry has the fields of its write. */
export const draftChanges = {
  type: "array",
  max: MAX_DRAFT_CHANGES,
  items: {
    type: "object",
    strict: true,
    title: "DraftChange",
    props: { action: oneOf(DRAFT_ACTIONS), ...limitsOfEveryWrite() },
  },
} as const;

/** The params of the write for which a change stands. */
export function writeParams<Action extends DraftAction>(
  guildId: GuildId,
  { action: _, ...params }: Extract<DraftChange, { readonly action: Action }>,
): DraftParams[Action] & { readonly guildId: GuildId } {
  return { ...params, guildId } as unknown as DraftParams[Action] & { readonly guildId: GuildId };
}
