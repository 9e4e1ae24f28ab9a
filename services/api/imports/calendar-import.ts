import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { mayCall } from "../../../mixins/actions/may-call.ts";
import type { ScannedCalendar } from "../../../mixins/icalendar/calendar-scanner.ts";
import { batchFrom, type ImportBatch, orderEvents } from "../../../mixins/icalendar/import-batches.ts";
import { readCalendar } from "../../../mixins/icalendar/read-calendar.ts";
import type { DatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import { WRITE_DEADLINE_MS } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import type { CallMeta } from "../../contracts/contract.ts";
import {
  importEvents,
  type ImportEventsParams,
  type ImportEventsResult,
} from "../../contracts/event-import.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { RequestConcurrency } from "../concurrency/request-concurrency.ts";
import { type HttpResponse, jsonResponse } from "../http/http-response.ts";
import { ClientDisconnected } from "../http/request-body.ts";
import { traceparentOf } from "../observability/request-traceparent.ts";
import type { Admission, Allowed } from "../rates/admission.ts";
import { rateHeaders, retryAfter } from "../rates/rate-headers.ts";
import { RequestRefused, toRefusal } from "../request-handler.ts";
import { bodyBegun, bodyOf } from "./body-chunks.ts";
import { ImportReport, type ImportResponse } from "./import-report.ts";
import { ForeseenLimit } from "./foreseen-limit.ts";
import { headersRefusal, type ImportQuery, readImportQuery } from "./import-request.ts";
import { ImportSlots } from "./import-slots.ts";

/** The path of imports in the API document. */
export const IMPORT_PATH = "/v2/calendar/import";

interface CalendarImportParts {
  readonly admission: Pick<Admission, "admit" | "admitToGuild">;
  readonly concurrency: RequestConcurrency;
  readonly clock: Pick<DatabaseClock, "now">;
  readonly call: (params: ImportEventsParams, meta: CallMeta) => Promise<ImportEventsResult>;
  readonly slots?: ImportSlots;
  /** Monotonic, in milliseconds. */
  readonly monotonic?: () => number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  /** Time for each 64 KiB of a body. */
  readonly bodyPaceMs?: number;
}

/** Responds to a request for an import; rejects with RequestRefused or ClientDisconnected. */
export type CalendarImport = (request: IncomingMessage, requestId: string) => Promise<HttpResponse>;

/** Time after which no further call with VEVENTs begins. Many proxies wait a minute for a response. */
const MAX_IMPORT_MS = 45_000;
/** Successive calls without an outcome after which an import ends: an event cannot be completed in the time of a call. */
const MAX_CALLS_IN_VAIN = 3;

/** An admitted import. */
interface Import {
  readonly request: IncomingMessage;
  readonly query: ImportQuery;
  readonly allowed: Allowed;
  readonly meta: CallMeta;
  readonly importId: string;
}

/** Imports calendars (D52): reads the whole body, then sends its VEVENTs to their owner in calls of a bounded size. */
export function calendarImport({
  admission,
  concurrency,
  clock,
  call,
  slots = new ImportSlots(),
  monotonic = () => performance.now(),
  pause = delay,
  bodyPaceMs,
}: CalendarImportParts): CalendarImport {
  /**
   * Each call counts as a request of the guild. Over the guild's rate limit the import waits; false if it would wait beyond
   * `endsAt`.
   */
  async function waitForRate({ query, allowed }: Import, endsAt: number): Promise<boolean> {
    for (;;) {
      const admitted = admission.admitToGuild(query.guildId, { ...allowed, standings: [] });
      if (!("refusal" in admitted)) return true;
      const waitMs = 1_000 * Number(admitted.headers["retry-after"] ?? 1);
      if (monotonic() + waitMs >= endsAt) return false;
      await pause(waitMs);
    }
  }

  /** Makes one attempt of a call; `writeUntil` is the end of its writes. */
  async function attempt({ meta, allowed }: Import, params: ImportEventsParams, writeUntil: EpochMs) {
    const slot = await concurrency.acquire({
      contract: {},
      guildId: params.guildId,
      keyId: allowed.caller.keyId,
      isBulk: true,
    });
    if (isRefusal(slot)) return slot;
    return call(params, { ...meta, writeUntil, writeId: newWriteId() })
      .catch(toRefusal(importEvents))
      .finally(() => slot.release());
  }

  /**
   * Sends a call, and once more if its outcome is unknown: after the end of its writes, because two calls at the same time
   * would both create the event of a new UID. The outcome stays unknown if the second attempt is refused.
   */
  async function sendBatch(
    of: Import,
    batch: ImportBatch,
    isLast: boolean,
  ): Promise<ImportEventsResult | RequestRefused> {
    const { ids: _, ...query } = of.query;
    const { events, ...more } = batch;
    const params = { ...query, ...more, events: events.map(({ text }) => text), importId: of.importId, isLast };
    const writeUntil = clock.now() + WRITE_DEADLINE_MS;
    const result = await attempt(of, params, writeUntil);
    if (!isRefusal(result)) return result;
    if (!isUnknown(result)) return new RequestRefused(result);
    await pause(Math.max(0, writeUntil - clock.now()));
    const repeatedUntil = clock.now() + WRITE_DEADLINE_MS;
    const repeated = await attempt(of, params, repeatedUntil);
    if (!isRefusal(repeated)) return repeated;
    if (of.query.dryRun && !isUnknown(repeated)) return new RequestRefused(repeated);
    const waitMs = Math.max(1, (isUnknown(repeated) ? repeatedUntil : writeUntil) - clock.now());
    return new RequestRefused(refuse("OUTCOME_UNKNOWN"), retryAfter({ waitMs }));
  }

  /** Sends all VEVENTs. A refusal refuses the import only if no call before it may have stored events. */
  async function importAll(
    of: Import,
    { events, unreadable, ...scanned }: ScannedCalendar,
  ): Promise<ImportResponse | RequestRefused> {
    const [report, limit] = [new ImportReport(), new ForeseenLimit()];
    const endsAt = monotonic() + MAX_IMPORT_MS;
    const ordered = orderEvents(events);
    for (const event of [...unreadable, ...ordered.duplicates]) report.addSkipped(event);
    const respond = (isComplete: boolean, refusal?: Refusal) =>
      report.response(isComplete, {
        refusal,
        isDryRun: of.query.dryRun,
        hasIds: of.query.ids,
        notImported: scanned.notImported,
      });
    /**
     * A call that is the last one ends the lease of the calendar, so that the next import can begin at once. It is not sent after a
     * call of unknown outcome, whose writes may follow: then the lease expires.
     */
    const respondIncomplete = async (refusal?: Refusal) => {
      if (!isUnknown(refusal)) await sendBatch(of, { events: [], ofSeries: [], zones: [] }, true);
      return respond(false, refusal);
    };
    let left = [...ordered.events];
    let callsInVain = 0;
    let mayHaveStored = false;
    // At least one call, even without VEVENTs: the owner refuses a calendar that the guild does not have.
    do {
      if (of.request.socket.destroyed) throw new ClientDisconnected();
      if (monotonic() >= endsAt || callsInVain >= MAX_CALLS_IN_VAIN) return respondIncomplete();
      if (!(await waitForRate(of, endsAt))) return respondIncomplete();
      const batch = batchFrom(left, scanned.zones, 0);
      const result = await sendBatch(of, batch, batch.events.length === left.length);
      if (result instanceof RequestRefused) return mayHaveStored ? respondIncomplete(result.refusal) : result;
      mayHaveStored = !of.query.dryRun;
      limit.begin(result);
      const unfinished = batch.events.flatMap((event, at) => {
        const outcome = result.outcomes[at] ?? undefined;
        if (outcome !== undefined) report.add(event.line, limit.foresee(outcome));
        return outcome === undefined ? (left[at] ?? []) : [];
      });
      callsInVain = unfinished.length === batch.events.length ? callsInVain + 1 : 0;
      left = [...unfinished, ...left.slice(batch.events.length)];
    } while (left.length > 0);
    return respond(true);
  }

  async function admit(request: IncomingMessage): Promise<{ query: ImportQuery; allowed: Allowed }> {
    const admitted = orThrow(await admission.admit(request));
    const refused = (refusal: Refusal) => new RequestRefused(refusal, rateHeaders(admitted.standings));
    const refusal = headersRefusal(request);
    if (refusal !== undefined) throw refused(refusal);
    const query = readImportQuery(request);
    if (Array.isArray(query)) throw refused(refuse("INVALID_REQUEST", query));
    if (!mayCall(importEvents, query, admitted.caller)) throw refused(refuse("FORBIDDEN"));
    return { query, allowed: orThrow(admission.admitToGuild(query.guildId, admitted)) };
  }

  return async (request, requestId) => {
    const { query, allowed } = await admit(request);
    const headers = rateHeaders(allowed.standings);
    const slot = await slots.acquire(query.guildId, allowed.caller.keyId, () => bodyBegun(request));
    if (isRefusal(slot)) throw new RequestRefused(slot, headers);
    try {
      const scanned = await readCalendar(bodyOf(request, bodyPaceMs));
      if (isRefusal(scanned)) throw new RequestRefused(scanned, headers);
      const meta: CallMeta = { requestId, traceparent: traceparentOf(request), caller: allowed.caller };
      const done = await importAll({ request, query, allowed, meta, importId: randomUUID() }, scanned);
      if (done instanceof RequestRefused) throw new RequestRefused(done.refusal, { ...headers, ...done.headers });
      return jsonResponse(200, done, headers);
    } finally {
      slot.release();
    }
  };
}

function orThrow(admitted: Awaited<ReturnType<Admission["admit"]>>): Allowed {
  if ("refusal" in admitted) throw new RequestRefused(admitted.refusal, admitted.headers);
  return admitted;
}

function isUnknown(refusal: Refusal | undefined): boolean {
  return refusal?.refusal === "OUTCOME_UNKNOWN";
}
