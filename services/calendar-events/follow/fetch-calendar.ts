import type { IncomingHttpHeaders } from "node:http";
import { type Downloader, type FailedDownload, failureOf } from "../../../mixins/http/download.ts";
import { headerNumber, retryAfterMs } from "../../../mixins/http/retry-after.ts";
import type { ScannedCalendar } from "../../../mixins/icalendar/calendar-scanner.ts";
import { readCalendar } from "../../../mixins/icalendar/read-calendar.ts";
import type { FollowError } from "../../contracts/calendar-follows.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import { MAX_IMPORT_BYTES } from "../../contracts/event-import.contract.ts";
import { VERSION } from "../../contracts/version.ts";
import type { FailedReading, FollowReading } from "../domain/follow/follow.ts";

/** A calendar that was read from its address. */
export interface FetchedCalendar extends Pick<FollowReading, "etag" | "lastModified"> {
  readonly kind: "calendar";
  readonly scanned: ScannedCalendar;
}

export type FetchResult =
  | FetchedCalendar
  | { readonly kind: "notModified" }
  | ({ readonly kind: "failed" } & FailedReading);

/** Time for all redirects and the body together. */
const TIMEOUT_MS = 30_000;
/** Longest validator that is kept. */
const MAX_VALIDATOR_LENGTH = 500;

/** Reads the calendar at an address, if it has changed since the response with these validators. */
export async function fetchCalendar(
  downloads: Pick<Downloader, "get">,
  url: string,
  { etag, lastModified }: Pick<FollowReading, "etag" | "lastModified">,
  stopped: AbortSignal,
): Promise<FetchResult> {
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopped]);
  const isConditional = etag !== undefined || lastModified !== undefined;
  const headers = {
    accept: "text/calendar, text/plain;q=0.5, */*;q=0.1",
    // The limit counts the received bytes, and decompression could multiply them.
    "accept-encoding": "identity",
    "user-agent": `guildcal-follow/${VERSION}`,
    ...(etag === undefined ? {} : { "if-none-match": etag }),
    ...(lastModified === undefined ? {} : { "if-modified-since": lastModified }),
  };
  const response = await downloads.get(url, headers, signal);
  if (response.kind === "failed") return failed(response);
  try {
    if (response.status === 304 && isConditional) return { kind: "notModified" };
    const refusal = refusalOf(response.status, response.headers);
    if (refusal !== undefined) return refusal;
    const scanned = await readCalendar(response.body);
    if (!isRefusal(scanned)) return { kind: "calendar", scanned, ...validatorsOf(response.headers) };
    if (scanned.refusal === "PAYLOAD_TOO_LARGE") return TOO_LARGE;
    return fails("NOT_A_CALENDAR", `the body ${scanned.problems?.[0]?.message ?? "is no iCalendar"}`);
  } catch (error) {
    return failed(failureOf(error, signal));
  } finally {
    response.close();
  }
}

const TOO_LARGE = fails("TOO_LARGE", `the body is larger than ${MAX_IMPORT_BYTES} bytes`);

function refusalOf(status: number, headers: IncomingHttpHeaders): FetchResult | undefined {
  if (status !== 200) {
    const waitMs = retryAfterMs(headerNumber(headers, "retry-after") ?? 0);
    return { ...fails("HTTP_STATUS", `the status was ${status}`), ...(waitMs === 0 ? {} : { retryAfterMs: waitMs }) };
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return fails("CONTENT_ENCODING", "the body is encoded, although the request accepts none");
  }
  return (headerNumber(headers, "content-length") ?? 0) > MAX_IMPORT_BYTES ? TOO_LARGE : undefined;
}

function validatorsOf({ etag, "last-modified": lastModified }: IncomingHttpHeaders) {
  const isKept = (value: string | undefined) => value !== undefined && value.length <= MAX_VALIDATOR_LENGTH;
  return { ...(isKept(etag) ? { etag } : {}), ...(isKept(lastModified) ? { lastModified } : {}) } as Pick<
    FetchedCalendar,
    "etag" | "lastModified"
  >;
}

function failed({ error, message }: FailedDownload): FetchResult {
  return fails(error, message);
}

function fails(error: FollowError, errorMessage: string): { readonly kind: "failed" } & FailedReading {
  return { kind: "failed", error, errorMessage };
}
