import type { IncomingMessage } from "node:http";
import { asRefusal, isRead, isUnavailable, notNow } from "../../mixins/actions/contract-action.ts";
import type { DatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { mayCall } from "../../mixins/actions/may-call.ts";
import type { ActionContract, CallMeta } from "../contracts/contract.ts";
import { DeadlinePassed, withWriteDeadline, WRITE_WITHIN_MS } from "../../mixins/mongo/write-deadline.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { EpochMs } from "../contracts/ids.ts";
import { type Answer, jsonTextAnswer, refusalAnswer } from "./answer.ts";
import { type Admitted, type Doorkeeper } from "./rates/doorkeeper.ts";
import { rateHeaders } from "./rates/rate-headers.ts";
import { RefusalDelay } from "./rates/refusal-delay.ts";
import { encodeList, isLarge } from "./encode-list.ts";
import { type GuildSlot, GuildSlots, LIST_REQUESTS, OTHER_REQUESTS } from "./guild-slots.ts";
import { etagOf, readIfMatch, refuseIfMatch } from "./if-match.ts";
import { type Done, nameOf, type Once } from "./once/once.ts";
import type { Page } from "./page.ts";
import { readJsonBody, SenderGone } from "./request-body.ts";
import { traceparentOf } from "./request-trace.ts";
import { pathsOf } from "./route-table.ts";
import type { Route } from "./route.ts";
import { withWarnings } from "./warnings.ts";
import { unknownPath } from "./unknown-path.ts";
import { ServiceGone, wasNotBegun } from "./service-watch.ts";

/** What a request's path runs on. */
export interface RequestPathParts {
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
  readonly door: Doorkeeper;
  readonly once: Once;
  /** The database server's: it never runs ahead. */
  readonly clock: Pick<DatabaseClock, "now">;
  /** Calls a route's action with params that were made of a request of its shape. */
  readonly call: (route: Route, params: unknown, meta: CallMeta) => Promise<unknown>;
  /** Told of every error that nobody foresaw. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** Answers one request, at once where nothing is to be waited for; rejects with SenderGone alone. */
export type RequestPath = (request: IncomingMessage, requestId: string) => Answer | Promise<Answer>;

/**
 * The path of a request through the gateway, its checks in the order of D3:
 * 404 path → 405 → 401 → 429 key → 413/415 → 400 → 403 → 429 guild → the action, which has 404, 412, 409 and the rest to
 * give.
 */
export function requestPath({ routes, pages, door, once, clock, call, onDefect }: RequestPathParts): RequestPath {
  const [lists, others] = [new GuildSlots(LIST_REQUESTS), new GuildSlots(OTHER_REQUESTS)];
  const refusalDelay = new RefusalDelay();
  const routeAt = new Map(routes.flatMap((route) => pathsOf(route).map((path) => [path, route] as const)));
  const knownPaths = [...routes.flatMap(({ paths }) => paths), ...pages.map((page) => page.path)];
  const pageAt = new Map(pages.map((page) => [page.path, page] as const));

  async function answerRoute(route: Route, request: IncomingMessage, requestId: string): Promise<Answer> {
    if (request.method !== "POST") return notAllowed("POST", requestId);

    const admitted = await door.admit(request);
    const answer =
      "refusal" in admitted
        ? refusalAnswer(admitted.refusal, requestId, admitted.headers)
        : await answerCaller(route, admitted, request, requestId);
    await refusalDelay.before(answer);
    return answer;
  }

  async function answerCaller(
    route: Route,
    byKey: Admitted,
    request: IncomingMessage,
    requestId: string,
  ): Promise<Answer> {
    const { caller } = byKey;
    const refused = (refusal: Refusal) => refusalAnswer(refusal, requestId, rateHeaders(byKey.standings));
    const body = await readJsonBody(request);
    if (isRefusal(body)) return refused(body);

    const decoded = route.decode(body);
    const condition = route.takesIfMatch ? readIfMatch(request.headers) : refuseIfMatch(request.headers);
    const problems = [...route.check(decoded), ...condition.problems];
    if (problems.length > 0) return refused(refuse("INVALID_REQUEST", problems));

    if (!mayCall(route.contract, decoded, caller)) return refused(refuse("FORBIDDEN"));

    const { guildId } = decoded as { readonly guildId?: string };
    const admitted = guildId === undefined ? byKey : door.admitToGuild(guildId, byKey);
    if ("refusal" in admitted) return refusalAnswer(admitted.refusal, requestId, admitted.headers);

    const headers = rateHeaders(admitted.standings);
    const { ifRevision } = condition;
    const unconditional = route.toParams(decoded);
    const params = ifRevision === undefined ? unconditional : { ...(unconditional as object), ifRevision };
    const writeUntil = isRead(route.contract) ? undefined : clock.now() + WRITE_WITHIN_MS;
    const until = writeUntil === undefined ? {} : { writeUntil };
    const meta = { requestId, traceparent: traceparentOf(request), caller, ...until };
    const perform = async (): Promise<Done> => {
      const result = await call(route, params, meta);
      const answer = route.encode(result, route.warnings(body, decoded));
      return { body: JSON.stringify(answer), etag: route.hasEtag ? etagOf(result) : undefined };
    };
    const list = async (slot: GuildSlot) => {
      const answer = withWarnings(route.answer, route.warnings(body, decoded));
      const encode = async () => encodeList({ ...route, answer }, await call(route, params, meta));
      return listOutcome(slot, encode);
    };
    const name = route.once ? nameOf(request.headers) : undefined;
    if (isRefusal(name)) return refused(name);
    const named = { name: name ?? "", keyId: caller.keyId, path: route.paths[0], params };
    const isList = route.contract.narrowing !== undefined;
    const work = async () => {
      const slots = isList || route.contract.isSearch === true ? lists : others;
      const slot = await slots.acquire(guildId ?? caller.keyId);
      if (isRefusal(slot)) return slot;
      if (isList) return list(slot);
      return (name === undefined ? perform() : once(named, perform)).finally(() => slot.release());
    };
    const outcome = await withWriteDeadline(writeUntil, work).catch(refusalBy(route.contract));
    if (isRefusal(outcome)) {
      return refusalAnswer(route.inWireNames(outcome), requestId, { ...headers, ...settledAfter(outcome, writeUntil) });
    }
    const { body: text, etag } = outcome;
    const given = jsonTextAnswer(200, text, etag === undefined ? headers : { ...headers, etag });
    return "onTaken" in outcome ? { ...given, onTaken: outcome.onTaken } : given;
  }

  /** When it is settled whether a write was done whose outcome nobody knows. */
  function settledAfter({ refusal }: Refusal, writeUntil: EpochMs | undefined): Answer["headers"] {
    if (refusal !== "OUTCOME_UNKNOWN" || writeUntil === undefined) return {};
    return { "retry-after": String(Math.max(1, Math.ceil((writeUntil - clock.now()) / 1_000))) };
  }

  function answerPage(
    page: Page,
    { method = "", headers }: IncomingMessage,
    requestId: string,
  ): Answer | Promise<Answer> {
    if (method !== "GET" && method !== "HEAD") return notAllowed("GET, HEAD", requestId);
    const answer = page.answer(acceptsGzip(headers["accept-encoding"]));
    return answer instanceof Promise ? answer.catch((error: unknown) => failure(error, requestId)) : answer;
  }

  function failure(error: unknown, requestId: string): Answer {
    if (error instanceof SenderGone) throw error;
    if (isUnavailable(error)) return refusalAnswer(refuse("UNAVAILABLE"), requestId);
    onDefect(error, requestId);
    return refusalAnswer(refuse("INTERNAL"), requestId);
  }

  return (request, requestId) => {
    const path = pathOf(request);
    const route = routeAt.get(path);
    if (route !== undefined) {
      return answerRoute(route, request, requestId).catch((error: unknown) => failure(error, requestId));
    }
    const page = pageAt.get(path);
    return page === undefined
      ? refusalAnswer(unknownPath(path, knownPaths), requestId)
      : answerPage(page, request, requestId);
  };
}

/** Whether gzip is named with a weight above 0. A request that names no coding gets the body as it is. */
function acceptsGzip(accepted: string | string[] = ""): boolean {
  return /(?:^|,)\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(accepted));
}

/** The body of a list. A small one gives its slot back at once, a large one when it is taken. */
async function listOutcome(slot: GuildSlot, encode: () => Promise<string | readonly Buffer[] | Refusal>) {
  try {
    const body = await encode();
    if (isRefusal(body)) {
      if (body.refusal === "TOO_MANY_ENTRIES") slot.markLarge();
      slot.release();
      return body;
    }
    if (!isLarge(body)) {
      slot.release();
      return { body, etag: undefined };
    }
    slot.markLarge();
    return { body, etag: undefined, onTaken: () => slot.release() };
  } catch (error) {
    if (asRefusal(error)?.refusal === "TOO_MANY_ENTRIES") slot.markLarge();
    slot.release();
    throw error;
  }
}

/** The path without its query, which nobody reads. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function notAllowed(methods: string, requestId: string): Answer {
  const answer = refusalAnswer(refuse("METHOD_NOT_ALLOWED"), requestId);
  return { ...answer, headers: { ...answer.headers, allow: methods } };
}

/** An error of our own table as the refusal that it was; "not now" as what it means for this action; others are thrown on. */
function refusalBy(contract: ActionContract<unknown, unknown>): (error: unknown) => Refusal {
  return (error) => {
    const refusal = asRefusal(error);
    if (refusal !== undefined) return refusal;
    if (wasNotBegun(error) || error instanceof DeadlinePassed) return refuse("UNAVAILABLE");
    if (error instanceof ServiceGone || isUnavailable(error)) return notNow(contract);
    throw error;
  };
}
