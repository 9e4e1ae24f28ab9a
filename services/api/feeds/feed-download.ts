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
  /** Calls an action of the owner of events. */
  readonly call: <Params, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
    meta: CallMeta,
  ) => Promise<Result>;
  /** Receives an unexpected error in the middle of a feed. */
  readonly onDefect: (error: unknown, requestId: string) => void;
  readonly slots?: FeedSlots;
}

/** Answers a request of a feed; rejects with RequestRefused, or with what a call rejects with. */
export type FeedDownload = (request: IncomingMessage, requestId: string) => Promise<HttpResponse>;

/** Feeds that are sent at once; one that is unchanged, or of which only the headers are wanted, needs no slot. */
const FEEDS_OF_A_GUILD: ConcurrencySettings = { initial: 4, max: 4, maxWaiting: 64, timeoutError: "TOO_MANY_REQUESTS" };
/** The servers of calendar programs that many people use ask for many feeds from few addresses. */
const FEEDS_OF_AN_ADDRESS: ConcurrencySettings = {
  initial: 16,
  max: 16,
  maxWaiting: 256,
  timeoutError: "TOO_MANY_REQUESTS",
};

/** MongoDB keeps the moment at which a feed was opened for five minutes. */
const LONGEST_MS = 240_000;

/** A reader asks each time, and a shared cache keeps nothing: the address is one reader's secret. */
const CACHING = { "cache-control": "private, no-cache" };
const CALENDAR = { "content-type": "text/calendar; charset=utf-8" };

/** The feeds that are being sent, by guild and by address. */
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

/** Sends the feed of the token in the path, page by page as its reader takes them. */
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

  /** The first page was read before the answer was begun, so that what keeps it from being read has a status. */
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
    const unchanged = { ...CACHING, etag: `"${tag}"` };
    if (cursor === undefined || known.isAny) return { status: 304, headers: unchanged, body: "" };
    const headers = { ...CALENDAR, ...unchanged };
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

/** A body of unknown length that nobody reads. */
async function* nothing(): AsyncGenerator<Buffer> {}

function referenceOf({ guildId, calendarNumber, color }: Feed): FeedReference {
  return { guildId, calendarNumber, ...(color === undefined ? {} : { color }) };
}
