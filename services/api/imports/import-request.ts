import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import { TOO_LARGE } from "../../../mixins/icalendar/read-calendar.ts";
import { importEvents, MAX_IMPORT_BYTES } from "../../contracts/event-import.contract.ts";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import { flag } from "../../contracts/field-rules.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { wirePath } from "../wire/request-fields.ts";

const NOT_CALENDAR = refuse("UNSUPPORTED_MEDIA_TYPE", undefined, "The body must be text/calendar in UTF-8");

/** The calendar that the query of a request names. */
export interface ImportQuery {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly dryRun: boolean;
  /** Whether the response has the ids of the events. */
  readonly ids: boolean;
}

const WIRE_NAMES = new Map([
  ["guildId", "guild_id"],
  ["calendarNumber", "calendar_number"],
  ["dryRun", "dry_run"],
]);
const { guildId, calendarNumber, dryRun } = importEvents.params;
const check = paramsCheck({ params: { guildId, calendarNumber, dryRun, ids: flag } });

/** The refusal of a request by its headers; undefined for one that may have an iCalendar body (RFC 5545, section 8.1). */
export function headersRefusal({ headers }: Pick<IncomingMessage, "headers">): Refusal | undefined {
  if (!isCalendar(headers)) return NOT_CALENDAR;
  return Number(headers["content-length"] ?? 0) > MAX_IMPORT_BYTES ? TOO_LARGE : undefined;
}

function isCalendar({ "content-encoding": encoding, "content-type": type = "" }: IncomingHttpHeaders): boolean {
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false;
  const [media = "", ...params] = type.split(";").map((part) => part.trim().toLowerCase());
  return media === "text/calendar" && params.every((param) => !param.startsWith("charset=") || isUtf8(param));
}

function isUtf8(param: string): boolean {
  return /^charset="?(?:utf-8|us-ascii)"?$/.test(param);
}

/** False for an absent field. A text that is no boolean stays, so that the check names the field. */
function readBoolean(query: URLSearchParams, name: string): boolean | string {
  const text = query.get(name) ?? "false";
  if (text === "true") return true;
  return text === "false" ? false : text;
}

/** The fields of the query, or the problems of the invalid ones. */
export function readImportQuery({ url = "" }: Pick<IncomingMessage, "url">): ImportQuery | FieldProblem[] {
  const query = new URL(url, "http://gateway").searchParams;
  const number = query.get("calendar_number");
  const params = {
    ...(query.get("guild_id") === null ? {} : { guildId: query.get("guild_id") }),
    ...(number === null ? {} : { calendarNumber: /^[0-9]{1,10}$/.test(number) ? Number(number) : number }),
    dryRun: readBoolean(query, "dry_run"),
    ids: readBoolean(query, "ids"),
  };
  const problems = check(params);
  if (problems.length === 0) return params as ImportQuery;
  return problems.map((problem) => Object.assign({}, problem, { field: wirePath(problem.field, WIRE_NAMES) }));
}
