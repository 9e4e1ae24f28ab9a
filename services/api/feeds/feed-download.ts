import type { IncomingMessage } from "node:http";
import type { ActionContract, CallMeta } from "../../contracts/contract.ts";
import { isRefusal, refuse } from "../../contracts/errors.ts";
import {
  type FeedPage,
  type FeedReference,
  openFeed,
  type OpenedFeed,
  type OpenFeedParams,
  readFeedPage,
  type ReadFeedPageParams,
} from "../../contracts/feeds.contract.ts";
import {
  combineSlots,
  type ConcurrencySlot,
  ConcurrencyLimit,
  type ConcurrencySettings,
} from "../concurrency/concurrency-limit.ts";
import type { Feed } from "../domain/feed.ts";
import { type HttpResponse, StreamBroken } from "../http/http-response.ts";
import { traceparentOf } from "../observability/request-traceparent.ts";
import { requestPath } from "../http/request-path.ts";
import { toRefusal, RequestRefused } from "../request-handler.ts";
import { readIfNoneMatch } from "../wire/if-match.ts";
import type { FeedAdmission } from "./feed-admission.ts";
import { tokenIn } from "./feed-path.ts";

interface FeedDownloadParts {
  readonly admit: FeedAdmission;
  /** Calls an action of the service calendar-events. */
  readonly call: <Params, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
    meta: CallMeta,
  ) => Promise<Result>;
  /** Called with an unexpected error during a download. */
  readonly onDefect: (error: unknown, requestId: string) => void;
  readonly slots?: FeedSlots;
}

/** Serves a request of a feed; rejects with RequestRefused, or with the error of a call. */
export type FeedDownload = (request: IncomingMessage, requestId: string) => Promise<HttpResponse>;

/** The concurrent downloads of a guild. An unchanged feed, or a HEAD request, needs no slot. */
const FEEDS_OF_A_GUILD: ConcurrencySettings = { initial: 4, max: 4, maxWaiting: 64, timeoutError: "TOO_MANY_REQUESTS" };
/** The concurrent downloads of an address. The servers of popular calendar programs read many feeds from few addresses. */
const FEEDS_OF_AN_ADDRESS: ConcurrencySettings = {
  initial: 16,
  max: 16,
  maxWaiting: 256,
  timeoutError: "TOO_MANY_REQUESTS",
};

/** Maximum duration of a download: MongoDB keeps the snapshot of a feed for five minutes. */
const LONGEST_MS = 240_000;

/** A client validates each time, and a shared cache stores nothing, since the address is a secret of one client. */
const CACHING = { "cache-control": "private, no-cache" };
const CALENDAR = { "content-type": "text/calendar; charset=utf-8" };

/** Limits the concurrent downloads by guild and by address. */
class FeedSlots {
  readonly #ofGuild = new ConcurrencyLimit(FEEDS_OF_A_GUILD);
  readonly #ofAddress = new ConcurrencyLimit(FEEDS_OF_AN_ADDRESS);

  async acquire(guildId: string, address: string): Promise<ConcurrencySlot> {
    const ofGuild = await this.#ofGuild.acquire(guildId);
    if (isRefusal(ofGuild)) throw new RequestRefused(ofGuild);
    const ofAddress = await this.#ofAddress.acquire(address);
    if (!isRefusal(ofAddress)) return combineSlots(ofGuild, ofAddress);
    ofGuild.release();
    throw new RequestRefused(ofAddress);
  }
}

/** Sends the feed of the token in the path, and reads each page when the client has read the one before. */
export function feedDownload({ admit, call, onDefect, slots = new FeedSlots() }: FeedDownloadParts): FeedDownload {
  async function open(params: OpenFeedParams, meta: CallMeta): Promise<OpenedFeed> {
    const opened = await call(openFeed, params, meta).catch(toRefusal(openFeed));
    if (!isRefusal(opened)) return opened;
    throw new RequestRefused(opened.refusal === "CALENDAR_NOT_FOUND" ? refuse("FEED_NOT_FOUND") : opened);
  }

  async function readPage(params: ReadFeedPageParams, meta: CallMeta): Promise<FeedPage> {
    const page = await call(readFeedPage, params, meta).catch(toRefusal(readFeedPage));
    if (isRefusal(page)) throw new RequestRefused(page);
    return page;
  }

  /** The first page was read before the headers were sent, so that an error of it has a status. */
  async function* pages(first: FeedPage, of: FeedReference, meta: CallMeta): AsyncGenerator<Buffer> {
    const began = performance.now();
    for (let page = first; ;) {
      yield Buffer.from(page.text);
      if (page.next === undefined) return;
      if (performance.now() - began > LONGEST_MS) throw new StreamBroken();
      page = await readPage({ ...of, cursor: page.next }, meta).catch((error: unknown) => {
        if (!(error instanceof RequestRefused)) onDefect(error, meta.requestId ?? "");
        throw new StreamBroken();
      });
    }
  }

  return async (request, requestId) => {
    const admitted = await admit(request, tokenIn(requestPath(request)) ?? "");
    if ("refusal" in admitted) throw new RequestRefused(admitted.refusal, admitted.headers);
    const { feed, address } = admitted;
    const meta: CallMeta = { requestId, traceparent: traceparentOf(request) };
    const known = readIfNoneMatch(request.headers);
    const { guildId, calendarNumber } = feed;
    const { tag, cursor } = await open({ guildId, calendarNumber, known: known.tags }, meta);
    const cacheHeaders = { ...CACHING, etag: `"${tag}"` };
    if (cursor === undefined || known.isAny) return { status: 304, headers: cacheHeaders, body: "" };
    const headers = { ...CALENDAR, ...cacheHeaders };
    if (request.method === "HEAD") return { status: 200, headers, body: nothing() };
    const slot = await slots.acquire(guildId, address);
    const release = () => slot.release();
    try {
      const first = await readPage({ ...referenceOf(feed), cursor }, meta);
      if (first.next === undefined) return { status: 200, headers, body: first.text, onClose: release };
      return { status: 200, headers, body: pages(first, referenceOf(feed), meta), onClose: release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** An empty body of unknown length, for HEAD. */
async function* nothing(): AsyncGenerator<Buffer> {}

function referenceOf({ guildId, calendarNumber, color }: Feed): FeedReference {
  return { guildId, calendarNumber, ...(color === undefined ? {} : { color }) };
}
