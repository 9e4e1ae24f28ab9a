import { createHash } from "node:crypto";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { ScannedCalendar } from "../../../mixins/icalendar/calendar-scanner.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { FollowError } from "../../contracts/calendar-follows.contract.ts";
import type { Follow } from "../domain/calendar/calendar.ts";
import {
  type FailedReading,
  type FollowReading,
  readFailed,
  readSucceeded,
  type SuccessfulRead,
} from "../domain/follow/follow.ts";
import { intervalOf } from "../domain/follow/follow-schedule.ts";
import type { DueFollow, FollowClaim, FollowReadingsStore } from "../store/follow-readings.store.ts";
import type { FetchResult } from "./fetch-calendar.ts";
import type { CalendarImported, MayContinue } from "./import-calendar.ts";

/** The parts of the process that a read uses. */
export interface FollowPorts {
  /** The database's clock. */
  readonly clock: { now(): EpochMs };
  /** 0 or more, and less than 1. */
  readonly random: () => number;
  readonly readings: FollowReadingsStore;
  /** Whether the guild may still have the calendar (D20). */
  readonly isAllowed: (of: CalendarReference) => Promise<boolean>;
  readonly fetch: (url: string, validators: Pick<FollowReading, "etag" | "lastModified">) => Promise<FetchResult>;
  /** The version of the calendar's zone, in which floating times and dates are. */
  readonly zoneVersion: (of: CalendarReference) => Promise<number>;
  readonly importCalendar: (
    of: CalendarReference & Pick<Follow, "followedAt">,
    scanned: ScannedCalendar,
    mayContinue: MayContinue,
  ) => Promise<CalendarImported | Refusal | undefined>;
  /** Disables a calendar, visibly. */
  readonly disable: (of: CalendarReference, followedAt: EpochMs) => Promise<void>;
  readonly reports: {
    /** Called when a read has ended. */
    readonly ended: (outcome: ReadOutcome, details: CalendarReference & { readonly error?: FollowError }) => void;
    readonly failed: (operation: string, error: unknown) => void;
  };
}

export const READ_OUTCOMES = ["changed", "unchanged", "failed"] as const;
export type ReadOutcome = (typeof READ_OUTCOMES)[number];

/** Time of a claim. It is longer than a download, and is prolonged for each call of the import. */
export const LEASE_MS = 60_000;
/** Time after which no further call of an import begins. */
const MAX_READ_MS = 300_000;

/**
 * Reads the address of a calendar, if no other replica does, and stores the outcome. The claim of a process that crashes ends
 * with its lease, without an outcome.
 */
export async function visitFollow(ports: FollowPorts, due: DueFollow, isStopping: () => boolean): Promise<void> {
  const { clock, random, readings, reports } = ports;
  const startedAt = clock.now();
  const claim = await readings.claim(due, startedAt, startedAt + LEASE_MS);
  if (claim === undefined) return;
  const { follow, reading } = claim;
  const of = { guildId: claim.guildId, calendarNumber: claim.calendarNumber };
  const mayContinue = async () =>
    !isStopping() && clock.now() < startedAt + MAX_READ_MS && (await readings.renew(claim, clock.now() + LEASE_MS));
  const result = await readOnce(ports, { ...claim, ...of }, mayContinue).catch((error: unknown) => {
    reports.failed("read", error);
    return { error: "INTERNAL", errorMessage: "the calendar could not be stored" } as const;
  });
  // A replica that stops leaves the calendar to another one.
  if ("error" in result && isStopping()) {
    await readings.release(claim, { ...reading, nextAt: startedAt });
    return;
  }
  if (!("error" in result)) {
    await readings.release(claim, readSucceeded(reading, result, clock.now(), random()));
    const { created = 0, updated = 0, deleted = 0 } = result.counts ?? {};
    reports.ended(created + updated + deleted > 0 ? "changed" : "unchanged", of);
    return;
  }
  const { isOver, ...failed } = readFailed(reading, result, clock.now(), random());
  const isStored = await readings.release(claim, failed);
  reports.ended("failed", { ...of, error: result.error });
  if (isOver && isStored) await ports.disable(of, follow.followedAt);
}

/** Fetches and imports. Resolves with a failure if anything is missing; what was stored before stays then. */
async function readOnce(
  { isAllowed, fetch, zoneVersion, importCalendar }: FollowPorts,
  { follow, reading, ...of }: FollowClaim,
  mayContinue: MayContinue,
): Promise<SuccessfulRead | FailedReading> {
  if (!(await isAllowed(of))) return NOT_ALLOWED;
  const version = await zoneVersion(of);
  const { etag, lastModified, digest } = reading;
  const validators = definedFields({ etag, lastModified });
  // Another zone of the calendar changes floating times and dates, but not the response.
  const fetched = await fetch(follow.url, digest?.startsWith(`${version} `) === true ? validators : {});
  if (fetched.kind === "failed") return fetched;
  if (fetched.kind === "notModified") {
    const { intervalMs = intervalOf(undefined) } = reading;
    return { ...validators, ...definedFields({ digest }), intervalMs };
  }
  const { kind: _, scanned, ...present } = fetched;
  const intervalMs = intervalOf(scanned.refreshInterval);
  const content = { ...present, digest: `${version} ${digestOf(scanned)}` };
  if (content.digest === digest) return { ...content, intervalMs };
  const { guildId, calendarNumber } = of;
  const imported = await importCalendar({ guildId, calendarNumber, ...follow }, scanned, mayContinue);
  if (imported === undefined) return NOT_COMPLETE;
  if (isRefusal(imported)) return BUSY;
  const { counts, isSettled } = imported;
  return { intervalMs, counts, ...(isSettled ? content : {}) };
}

const NOT_ALLOWED: FailedReading = {
  error: "CALENDAR_NOT_ALLOWED",
  errorMessage: "the guild may not have this calendar any more",
};
const NOT_COMPLETE: FailedReading = {
  error: "NOT_COMPLETE",
  errorMessage: "the import took too long; the next read continues it",
};
const BUSY: FailedReading = { error: "CALENDAR_BUSY", errorMessage: "another import of the calendar was running" };

/** Digest of the properties that an import reads; properties that change with each response, such as DTSTAMP, do not count. */
function digestOf({ events, unreadable, zones }: ScannedCalendar): string {
  const hash = createHash("sha256");
  for (const { text } of events) hash.update(text).update("\0");
  for (const { reason, uid = "" } of unreadable) hash.update(`${reason} ${uid}\0`);
  for (const text of zones.values()) hash.update(text).update("\0");
  return hash.digest("base64url");
}
