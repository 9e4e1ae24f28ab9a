import type { IncomingMessage } from "node:http";
import { asRefusal, isRead, isUnavailable, unavailableRefusal } from "../../mixins/actions/contract-action.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import type { DatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { mayCall } from "../../mixins/actions/may-call.ts";
import type { ActionContract, Caller, CallMeta } from "../contracts/contract.ts";
import { DeadlinePassed, runInWriteContext, WRITE_DEADLINE_MS } from "../../mixins/mongo/write-context.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { EpochMs } from "../contracts/ids.ts";
import { type Answer, jsonTextAnswer, refusalAnswer } from "./http/http-response.ts";
import type { Allowed, Admission } from "./rates/admission.ts";
import { rateHeaders } from "./rates/rate-headers.ts";
import { RefusalDelay } from "./rates/refusal-delay.ts";
import { encodeList, isLarge } from "./wire/encode-list.ts";
import type { GuildSlot } from "./concurrency/concurrency-limit.ts";
import { etagOf, readIfMatch, refuseIfMatch } from "./wire/if-match.ts";
import { type StoredResponse, readIdempotencyKey, type PerformOnce } from "./idempotency/idempotency.ts";
import type { Page } from "./pages/page.ts";
import { BodiesUnderWay, TurnsToParse } from "./concurrency/body-memory.ts";
import { maxBodyBytes, readJsonBody, SenderGone } from "./http/request-body.ts";
import { RequestSlots } from "./concurrency/request-concurrency.ts";
import { traceparentOf } from "./observability/request-traceparent.ts";
import type { Route } from "./route.ts";
import { withWarnings } from "./wire/warnings.ts";
import { unknownPath } from "./wire/unknown-path.ts";
import { ServiceGone, wasNotBegun } from "./service-health.ts";

/** The dependencies of `requestSteps`. */
export interface RequestStepsParts {
  /** All paths: the 404 of an unknown path suggests the nearest one. */
  readonly knownPaths: readonly string[];
  readonly admission: Admission;
  readonly performOnce: PerformOnce;
  /** Shared with calls that come over the bus. */
  readonly slots?: RequestSlots;
  /** The clock of the database server, which never runs ahead. */
  readonly clock: Pick<DatabaseClock, "now">;
  /** Calls the action of a route. */
  readonly call: (route: Route, params: unknown, meta: CallMeta) => Promise<unknown>;
  /** Receives every unexpected error. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** A request that passed all checks: the params of its action, and the data that its answer needs. */
export interface Checked {
  readonly params: unknown;
  readonly meta: CallMeta;
  readonly headers: Answer["headers"];
  readonly caller: Caller;
  readonly guildId: string | undefined;
  /** Of its body. */
  readonly bytes: number;
  /** The value of `Idempotency-Key`, if the request has one. */
  readonly name: string | undefined;
  readonly warnings: ReturnType<Route["warnings"]>;
}

/**
 * The steps of a request through the gateway, in the order of D3:
 * 404 path → 405 → 401 → 429 key → 413/415 → 400 → 403 → 429 guild → the action, which answers 404, 412, 409 and others.
 * moleculer-web runs them one after the other (web-gateway.ts).
 */
export interface RequestSteps {
  /** Authenticates the request. Rejects with Refused. */
  admit(request: IncomingMessage): Promise<Allowed>;
  /** Reads and checks the body. Rejects with Refused or SenderGone. */
  check(route: Route, byKey: Allowed, request: IncomingMessage, requestId: string): Promise<Checked>;
  /** Calls the action; rejects only with SenderGone. */
  perform(route: Route, checked: Checked): Promise<Answer>;
  show(page: Page, request: IncomingMessage, requestId: string): Promise<Answer>;
  nowhere(path: string, requestId: string): Answer;
  /** The answer to what any step rejected with; throws SenderGone. */
  failure(error: unknown, requestId: string): Promise<Answer>;
}

/** The refusal of a request before its action is called. */
export class Refused extends Error {
  readonly refusal: Refusal;
  readonly headers: Answer["headers"];

  constructor(refusal: Refusal, headers: Answer["headers"] = {}) {
    super(refusal.refusal);
    this.refusal = refusal;
    this.headers = headers;
  }
}

/** The refusal of a method that the path does not have (D1). */
export function otherMethod(methods: string): Refused {
  return new Refused(refuse("METHOD_NOT_ALLOWED"), { allow: methods });
}

export function requestSteps({
  knownPaths,
  admission,
  performOnce,
  slots = new RequestSlots(),
  clock,
  call,
  onDefect,
}: RequestStepsParts): RequestSteps {
  const [arriving, bodies] = [new BodiesUnderWay(), new BodiesUnderWay()];
  const turns = new TurnsToParse();
  const refusalDelay = new RefusalDelay();

  /** `Retry-After` of a write with unknown outcome: the time at which it can no longer begin. */
  function settledAfter({ refusal }: Refusal, writeUntil: EpochMs | undefined): Answer["headers"] {
    if (refusal !== "OUTCOME_UNKNOWN" || writeUntil === undefined) return {};
    return { "retry-after": String(Math.max(1, Math.ceil((writeUntil - clock.now()) / 1_000))) };
  }

  function failed(error: unknown, requestId: string): Answer {
    if (error instanceof SenderGone) throw error;
    if (error instanceof Refused) return refusalAnswer(error.refusal, requestId, error.headers);
    if (isUnavailable(error)) return refusalAnswer(refuse("UNAVAILABLE"), requestId);
    onDefect(error, requestId);
    return refusalAnswer(refuse("INTERNAL"), requestId);
  }

  async function delayed(answer: Answer): Promise<Answer> {
    await refusalDelay.before(answer);
    return answer;
  }

  async function outcomeOf(route: Route, { params, meta, guildId, caller, name, warnings }: Checked) {
    const perform = async (writeId = meta.writeId): Promise<StoredResponse> => {
      const result = await call(route, params, writeId === undefined ? meta : { ...meta, writeId });
      return {
        body: JSON.stringify(route.encode(result, warnings)),
        etag: route.hasEtag ? etagOf(result) : undefined,
      };
    };
    const isList = route.contract.narrowing !== undefined;
    const slot = await slots.acquire({ contract: route.contract, guildId, keyId: caller.keyId });
    if (isRefusal(slot)) return slot;
    if (isList) {
      const answer = withWarnings(route.answer, warnings);
      return listOutcome(slot, async () => encodeList({ ...route, answer }, await call(route, params, meta)));
    }
    const named = { name: name ?? "", keyId: caller.keyId, path: route.paths[0], params };
    return (name === undefined ? perform() : performOnce(named, perform)).finally(() => slot.release());
  }

  async function withinBytes(route: Route, checked: Checked) {
    const left = bodies.enter(checked.guildId ?? checked.caller.keyId, checked.bytes);
    return isRefusal(left) ? left : outcomeOf(route, checked).finally(left);
  }

  async function performed(route: Route, checked: Checked): Promise<Answer> {
    const { meta, headers } = checked;
    const { requestId = "", writeUntil } = meta;
    const work = () => withinBytes(route, checked);
    const outcome = await runInWriteContext({ deadline: writeUntil }, work).catch(refusalBy(route.contract));
    if (isRefusal(outcome)) {
      return refusalAnswer(route.inWireNames(outcome), requestId, { ...headers, ...settledAfter(outcome, writeUntil) });
    }
    const { body: text, etag } = outcome;
    const given = jsonTextAnswer(200, text, etag === undefined ? headers : { ...headers, etag });
    return "onTaken" in outcome ? { ...given, onTaken: outcome.onTaken } : given;
  }

  return {
    async admit(request) {
      const admitted = await admission.admit(request);
      if ("refusal" in admitted) throw new Refused(admitted.refusal, admitted.headers);
      return admitted;
    },

    async check(route, byKey, request, requestId) {
      const { caller } = byKey;
      const unless = <Value>(value: Value | Refusal, standings = byKey.standings): Value => {
        if (isRefusal(value)) throw new Refused(value, rateHeaders(standings));
        return value;
      };
      const arrived = unless(arriving.enter(caller.keyId, maxBodyBytes(request)));
      const read = readJsonBody(request, (size) => turns.wait(size)).finally(arrived);
      const { fields: body, bytes } = unless(await read);
      const decoded = route.decode(body);
      const condition = route.takesIfMatch ? readIfMatch(request.headers) : refuseIfMatch(request.headers);
      const problems = [...route.check(decoded), ...condition.problems];
      if (problems.length > 0) unless(refuse("INVALID_REQUEST", problems));
      if (!mayCall(route.contract, decoded, caller)) unless(refuse("FORBIDDEN"));

      const { guildId } = decoded as { readonly guildId?: string };
      const admitted = guildId === undefined ? byKey : admission.admitToGuild(guildId, byKey);
      if ("refusal" in admitted) throw new Refused(admitted.refusal, admitted.headers);

      const name = route.takesIdempotencyKey ? readIdempotencyKey(request.headers) : undefined;
      const { ifRevision } = condition;
      const params = route.toParams(decoded);
      const write = isRead(route.contract)
        ? {}
        : { writeUntil: clock.now() + WRITE_DEADLINE_MS, writeId: newWriteId() };
      return {
        params: ifRevision === undefined ? params : { ...(params as object), ifRevision },
        meta: { requestId, traceparent: traceparentOf(request), caller, ...write },
        headers: rateHeaders(admitted.standings),
        caller,
        guildId,
        bytes,
        name: name === undefined ? undefined : unless(name, admitted.standings),
        warnings: route.warnings(body, decoded),
      };
    },

    perform: async (route, checked) =>
      performed(route, checked)
        .catch((error: unknown) => failed(error, checked.meta.requestId ?? ""))
        .then(delayed),

    show: async (page, { headers }, requestId) => {
      const shown = async () => page.answer(acceptsGzip(headers["accept-encoding"]));
      return shown().catch((error: unknown) => failed(error, requestId));
    },

    nowhere: (path, requestId) => refusalAnswer(unknownPath(path, knownPaths), requestId),

    failure: async (error, requestId) => delayed(failed(error, requestId)),
  };
}

/** Whether gzip is named with a weight above 0. A request that names no coding gets the body as it is. */
function acceptsGzip(accepted: string | string[] = ""): boolean {
  return /(?:^|,)\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(accepted));
}

/** The body of a list. A small list releases its slot at once, a large one when the client has received it. */
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

/** The path without its query, which no endpoint uses. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Maps an error to a refusal; an unavailable service to UNAVAILABLE or OUTCOME_UNKNOWN. Throws any other error again. */
export function refusalBy(contract: Pick<ActionContract<unknown, unknown>, "keys">): (error: unknown) => Refusal {
  return (error) => {
    const refusal = asRefusal(error);
    if (refusal !== undefined) return refusal;
    if (wasNotBegun(error) || error instanceof DeadlinePassed) return refuse("UNAVAILABLE");
    if (error instanceof ServiceGone || isUnavailable(error)) return unavailableRefusal(contract);
    throw error;
  };
}
