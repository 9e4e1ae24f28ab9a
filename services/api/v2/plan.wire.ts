import { pauseField } from "../wire/pause-fields.ts";
import type { ParamsOf } from "../../contracts/contract.ts";
import type { DraftAction, DraftParams } from "../../contracts/draft-changes.contract.ts";
import type { diffPlan } from "../../contracts/plan-diff.contract.ts";
import { announcementRequestFields, idField, subscriberChangeFields } from "../v1/announcement.wire.ts";
import { isObject } from "../wire/exact-json.ts";
import {
  asEnumValue,
  asInteger,
  decodeFields,
  field,
  guildField,
  type NullMeaning,
  objectsField,
  type RequestField,
  type RequestFields,
  requestFields,
} from "../wire/request-fields.ts";
import { eventIdField, eventRequestFields, scopeField } from "./events.wire.ts";
import { settingsRequestFields } from "./settings.wire.ts";

const calendarNumber = field("calendar_number", asInteger);
const { guildId: _, ...settings } = settingsRequestFields;

/** The fields of each change, which are those of the endpoint for the same write. */
const CHANGE_FIELDS: { readonly [Action in DraftAction]: RequestFields<DraftParams[Action]> } = {
  CREATE_EVENT: { calendarNumber, ...eventRequestFields("absent") },
  UPDATE_EVENT: { calendarNumber, eventId: eventIdField, scope: scopeField, ...eventRequestFields("value") },
  DELETE_EVENT: {
    calendarNumber,
    eventId: eventIdField,
    scope: scopeField,
    announcements: field("announcements"),
  },
  CREATE_ANNOUNCEMENT: announcementRequestFields,
  UPDATE_ANNOUNCEMENT: { id: idField, ...announcementRequestFields, ...subscriberChangeFields },
  DELETE_ANNOUNCEMENT: { id: idField },
  UPDATE_SETTINGS: settings,
  UPDATE_CALENDAR: { calendarNumber, name: field("name"), timezone: field("timezone"), pausedUntil: pauseField },
};

const actionField: RequestField = { ...field("action", asEnumValue), param: "action" };
const fieldsOf = new Map<unknown, readonly RequestField[]>(
  Object.entries(CHANGE_FIELDS).map(([action, fields]) => [
    action,
    [actionField, ...requestFields(fields as RequestFields<DraftParams["DELETE_EVENT"]>)],
  ]),
);

/** The fields of all changes: a field has the same name and meaning in each of them. */
const everyField = [
  ...new Map([...fieldsOf.values()].flatMap((fields) => fields.map((each) => [each.wire, each] as const))).values(),
];

/** A null in a change means the same as in the request of its endpoint (D6). */
function nullsIn(action: unknown): NullMeaning {
  return action === "CREATE_EVENT" || action === "CREATE_ANNOUNCEMENT" ? "absent" : "value";
}

/** The params of a change; without a known action, the check of the contract names the action. */
function decodeChange(change: unknown): unknown {
  if (!isObject(change)) return change;
  const action = asEnumValue(Object.hasOwn(change, "action") ? change["action"] : undefined);
  return decodeFields(change, fieldsOf.get(action) ?? [actionField], nullsIn(action));
}

export const draftFields: RequestFields<Pick<ParamsOf<typeof diffPlan>, "guildId" | "changes">> = {
  guildId: guildField,
  changes: objectsField("changes", everyField, decodeChange),
};
