import type { IncomingMessage } from "node:http";
import { asRefusal, isRead, isUnavailable, unavailableRefusal } from "../../mixins/actions/contract-action.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import type { DatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { mayCall } from "../../mixins/actions/may-call.ts";
import type { ActionContract, Caller, CallMeta } from "../contracts/contract.ts";
import { DeadlinePassed, runInWriteContext, WRITE_DEADLINE_MS } from "../../mixins/mongo/write-context.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { EpochMs } from "../contracts/ids.ts";
import { type HttpResponse, jsonTextResponse, refusalResponse } from "./http/http-response.ts";
import type { Allowed, Admission } from "./rates/admission.ts";
import { rateHeaders, retryAfter } from "./rates/rate-headers.ts";
import { TooManyRequestsDelay } from "./rates/too-many-requests-delay.ts";
import { encodeList, isLarge } from "./wire/encode-list.ts";
import type { ConcurrencySlot } from "./concurrency/concurrency-limit.ts";
import { etagOf, readIfMatch, refuseIfMatch } from "./wire/if-match.ts";
import { NO_IDEMPOTENCY_KEY, readIdempotencyKey, type RunIdempotently } from "./idempotency/idempotency.ts";
import type { QuotaExceeded } from "./idempotency/idempotency-quota.ts";
import type { StoredResponse } from "./idempotency/idempotency-records.store.ts";
import type { Page } from "./pages/page.ts";
import { BodyMemory } from "./concurrency/body-memory.ts";
import { ParseQueue } from "./concurrency/parse-queue.ts";
import { maxBodyBytes, readJsonBody, ClientDisconnected } from "./http/request-body.ts";
import { RequestConcurrency } from "./concurrency/request-concurrency.ts";
import { traceparentOf } from "./observability/request-traceparent.ts";
import { type Route, routeFor } from "./route.ts";
import { withWarnings } from "./wire/warnings.ts";
import { unknownPath } from "./wire/unknown-path.ts";
import { ServiceUnavailable, wasNotReceived } from "./service-health.ts";

export interface RequestHandlerOptions {
  /** All paths: the 404 of an unknown path suggests the nearest one. */
  readonly knownPaths: readonly string[];
  readonly admission: Omit<Admission, "readmit">;
  readonly runIdempotently: RunIdempotently;
  /** Shared with calls that come over the bus. */
  readonly concurrency?: RequestConcurrency;
  /** The clock of the database server, as the gateway knows it: never ahead of the server. */
  readonly clock: Pick<DatabaseClock, "now">;
  /** Calls the action of a route. `onResponse` is that of `CallOptions`. */
  readonly call: (
    route: Route,
    params: unknown,
    meta: CallMeta,
    onResponse: (msBeforeAttempt: number) => void,
  ) => Promise<unknown>;
  /** Receives every unexpected error. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** A request that passed all checks: the params of its action, and the data for its response. */
export interface CheckedRequest {
  /** The route of the path, or that of its pages (D49). */
  readonly route: Route;
  readonly params: unknown;
  readonly meta: CallMeta;
  readonly headers: HttpResponse["headers"];
  readonly caller: Caller;
  readonly guildId: string | undefined;
  /** Size of the body. */
  readonly bytes: number;
  /** The value of `Idempotency-Key`, if the request has one. */
  readonly idempotencyKey: string | undefined;
  readonly warnings: ReturnType<Route["warnings"]>;
}

/**
 * The steps of a request through the gateway, in the order of D3:
 * 404 path → 405 → 401 → 429 key → 413/415 → 400 → 403 → 429 guild → the action, which returns 404, 412, 409 and others.
 * moleculer-web runs them one after the other (web-gateway.ts).
 */
export interface RequestHandler {
  /** Authenticates the request. Rejects with RequestRefused. */
  admit(request: IncomingMessage): Promise<Allowed>;
  /** Reads and checks the body. Rejects with RequestRefused or ClientDisconnected. */
  check(route: Route, allowed: Allowed, request: IncomingMessage, requestId: string): Promise<CheckedRequest>;
  /** Calls the action; rejects only with ClientDisconnected. */
  perform(checked: CheckedRequest): Promise<HttpResponse>;
  servePage(page: Page, request: IncomingMessage, requestId: string): Promise<HttpResponse>;
  /** The response to an unknown path. */
  notFound(path: string, requestId: string): HttpResponse;
  /** The response to a request that failed with this error; rejects with ClientDisconnected. */
  errorResponse(error: unknown, requestId: string): Promise<HttpResponse>;
}

/** The error of a refused request: the refusal, and the headers of its response. */
export class RequestRefused extends Error {
  readonly refusal: Refusal;
  readonly headers: HttpResponse["headers"];

  constructor(refusal: Refusal, headers: HttpResponse["headers"] = {}) {
    super(refusal.refusal);
    this.refusal = refusal;
    this.headers = headers;
  }
}

/** The refusal of a method that the path does not have (D1). */
export function methodNotAllowed(methods: string): RequestRefused {
  return new RequestRefused(refuse("METHOD_NOT_ALLOWED"), { allow: methods });
}

export function requestHandler({
  knownPaths,
  admission,
  runIdempotently,
  concurrency = new RequestConcurrency(),
  clock,
  call,
  onDefect,
}: RequestHandlerOptions): RequestHandler {
  const [incomingBodies, pendingBodies] = [new BodyMemory(), new BodyMemory()];
  const parseQueue = new ParseQueue();
  const tooManyRequestsDelay = new TooManyRequestsDelay();

  /**
   * `Retry-After` of an exceeded quota is the time until there is room. That of a write with unknown outcome is the time until the
   * write can no longer begin. Other refusals get none here.
   */
  function retryAfterOf(refused: Refusal | QuotaExceeded, writeUntil: EpochMs | undefined): HttpResponse["headers"] {
    if ("waitMs" in refused) return retryAfter(refused);
    if (refused.refusal !== "OUTCOME_UNKNOWN" || writeUntil === undefined) return {};
    return retryAfter({ waitMs: Math.max(1, writeUntil - clock.now()) });
  }

  function responseTo(error: unknown, requestId: string): HttpResponse {
    if (error instanceof ClientDisconnected) throw error;
    if (error instanceof RequestRefused) return refusalResponse(error.refusal, requestId, error.headers);
    if (isUnavailable(error)) return refusalResponse(refuse("UNAVAILABLE"), requestId);
    onDefect(error, requestId);
    return refusalResponse(refuse("INTERNAL"), requestId);
  }

  async function delayed(response: HttpResponse): Promise<HttpResponse> {
    await tooManyRequestsDelay.wait(response);
    return response;
  }

  async function callInSlot({ route, params, meta, guildId, caller, idempotencyKey, warnings }: CheckedRequest) {
    const isList = route.contract.narrowing !== undefined;
    const slot = await concurrency.acquire({ contract: route.contract, guildId, keyId: caller.keyId });
    if (isRefusal(slot)) return slot;
    const callOwner = (ofCall: CallMeta) => call(route, params, ofCall, (ms) => slot.discount(ms));
    if (isList) {
      const responseFields = withWarnings(route.responseFields, warnings);
      return listOutcome(slot, async () => encodeList({ ...route, responseFields }, await callOwner(meta)));
    }
    const callOnce = async (writeId = meta.writeId): Promise<StoredResponse> => {
      const result = await callOwner(writeId === undefined ? meta : { ...meta, writeId });
      return {
        body: JSON.stringify(route.encode(result, warnings)),
        etag: route.hasEtag ? etagOf(result) : undefined,
      };
    };
    const { keyId } = caller;
    const request = {
      idempotencyKey: idempotencyKey ?? "",
      keyId,
      guildId: guildId ?? "",
      path: route.paths[0],
      params,
    };
    return (idempotencyKey === undefined ? callOnce() : runIdempotently(request, callOnce)).finally(() =>
      slot.release(),
    );
  }

  async function callWithinMemory(checked: CheckedRequest) {
    const release = pendingBodies.reserve(checked.guildId ?? checked.caller.keyId, checked.bytes);
    return isRefusal(release) ? release : callInSlot(checked).finally(release);
  }

  async function respond(checked: CheckedRequest): Promise<HttpResponse> {
    const { route, meta, headers } = checked;
    const { requestId = "", writeUntil } = meta;
    const work = () => callWithinMemory(checked);
    const outcome = await runInWriteContext({ deadline: writeUntil }, work).catch(toRefusal(route.contract));
    if (isRefusal(outcome)) {
      const refusal = route.withWireNames(outcome);
      return refusalResponse(refusal, requestId, { ...headers, ...retryAfterOf(outcome, writeUntil) });
    }
    const { body, etag } = outcome;
    const response = jsonTextResponse(200, body, etag === undefined ? headers : { ...headers, etag });
    return "onClose" in outcome ? { ...response, onClose: outcome.onClose } : response;
  }

  return {
    async admit(request) {
      const admitted = await admission.admit(request);
      if ("refusal" in admitted) throw new RequestRefused(admitted.refusal, admitted.headers);
      return admitted;
    },

    async check(routeOfPath, allowed, request, requestId) {
      const { caller } = allowed;
      const orThrow = <Value>(value: Value | Refusal, standings = allowed.standings): Value => {
        if (isRefusal(value)) throw new RequestRefused(value, rateHeaders(standings));
        return value;
      };
      const release = orThrow(incomingBodies.reserve(caller.keyId, maxBodyBytes(request)));
      const read = readJsonBody(request, (size) => parseQueue.waitForTurn(size)).finally(release);
      const { fields: body, bytes } = orThrow(await read);
      const route = routeFor(routeOfPath, body);
      const decoded = route.decode(body);
      const precondition = route.acceptsIfMatch ? readIfMatch(request.headers) : refuseIfMatch(request.headers);
      const idempotencyKey = route.acceptsIdempotencyKey ? readIdempotencyKey(request.headers) : NO_IDEMPOTENCY_KEY;
      const problems = [...route.check(decoded), ...precondition.problems, ...idempotencyKey.problems];
      if (problems.length > 0) orThrow(refuse("INVALID_REQUEST", problems));
      if (!mayCall(route, decoded, caller)) orThrow(refuse("FORBIDDEN"));

      const { guildId } = decoded as { readonly guildId?: string };
      const admitted = guildId === undefined ? allowed : admission.admitToGuild(guildId, allowed);
      if ("refusal" in admitted) throw new RequestRefused(admitted.refusal, admitted.headers);

      const write = isRead(route.contract)
        ? {}
        : { writeUntil: clock.now() + WRITE_DEADLINE_MS, writeId: newWriteId() };
      return {
        route,
        params: route.toParams(decoded, precondition),
        meta: { requestId, traceparent: traceparentOf(request), caller, ...write },
        headers: rateHeaders(admitted.standings),
        caller,
        guildId,
        bytes,
        idempotencyKey: idempotencyKey.value,
        warnings: route.warnings(body, decoded),
      };
    },

    perform: async (checked) =>
      respond(checked)
        .catch((error: unknown) => responseTo(error, checked.meta.requestId ?? ""))
        .then(delayed),

    servePage: async (page, { headers }, requestId) => {
      const serve = async () => page.respond(acceptsGzip(headers["accept-encoding"]), headers["if-none-match"]);
      return serve().catch((error: unknown) => responseTo(error, requestId));
    },

    notFound: (path, requestId) => refusalResponse(unknownPath(path, knownPaths), requestId),

    errorResponse: async (error, requestId) => delayed(responseTo(error, requestId)),
  };
}

/** Whether `Accept-Encoding` names gzip with a weight above 0. Without the header the body is not compressed. */
function acceptsGzip(accepted: string | string[] = ""): boolean {
  return /(?:^|,)\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(accepted));
}

/** The outcome of a list. A small list releases its slot at once, a large one when the client has received it. */
async function listOutcome(slot: ConcurrencySlot, encode: () => Promise<string | readonly Buffer[] | Refusal>) {
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
    return { body, etag: undefined, onClose: () => slot.release() };
  } catch (error) {
    if (asRefusal(error)?.refusal === "TOO_MANY_ENTRIES") slot.markLarge();
    slot.release();
    throw error;
  }
}

/** Maps an error to a refusal, and an unavailable service to UNAVAILABLE or OUTCOME_UNKNOWN. Throws any other error again. */
export function toRefusal(contract: Pick<ActionContract<unknown, unknown>, "keys">): (error: unknown) => Refusal {
  return (error) => {
    const refusal = asRefusal(error);
    if (refusal !== undefined) return refusal;
    if (wasNotReceived(error) || error instanceof DeadlinePassed) return refuse("UNAVAILABLE");
    if (error instanceof ServiceUnavailable || isUnavailable(error)) return unavailableRefusal(contract);
    throw error;
  };
}
