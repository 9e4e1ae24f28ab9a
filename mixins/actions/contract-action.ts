import type { ActionSchema, Context, ServiceBroker } from "moleculer";
import moleculer from "moleculer";
import type { ActionContract, CallMeta } from "../../services/contracts/contract.ts";
import type { FieldProblem } from "../../services/contracts/field-problem.ts";
import { ERRORS, type ErrorType, isRefusal, refuse, type Refusal } from "../../services/contracts/errors.ts";
import type { RetryableAction } from "../bus/retry-policy.ts";
import { paramsCheck } from "./check-params.ts";
import type { WriteId } from "../../services/contracts/ids.ts";
import { isDatabaseUnavailable } from "../mongo/database.mixin.ts";
import { isLogged } from "../observability/log-level.ts";
import { mayCall } from "./may-call.ts";
import { type WriteContext, DeadlinePassed, runInWriteContext } from "../mongo/write-context.ts";
import { isWriteId, newWriteId } from "../mongo/write-id.ts";
import { requestFields } from "../observability/request-fields.ts";
import { readTraceparent } from "../observability/trace-context.ts";

const { MoleculerClientError, MoleculerError, MoleculerRetryableError } = moleculer.Errors;

/** The context of a handler: checked params, and the caller in `meta`. */
export type CallContext<Params> = Context<Params, CallMeta>;

/**
 * The Moleculer action of a contract. It checks params and caller before the handler runs, and turns a refusal that
 * the handler returns into the error that the caller receives.
 *
 * The schema says which calls the caller may repeat after an error or without a response: reads, and idempotent writes
 * with an id. Any other action could run twice (mixins/README.md, "Retries").
 */
export function serve<Params, Result>(
  contract: ActionContract<Params, Result>,
  handler: (params: Params, context: CallContext<Params>) => Promise<Result | Refusal>,
): Record<string, ActionSchema> {
  const check = paramsCheck(contract);
  const runOnce = singleFlightWrites<Result | Refusal>();
  const [, verb] = contract.name.split(".", 2) as [string, string];
  const schema: RetryableAction = {
    isIdempotent: contract.idempotent,
    isRead: isRead(contract),
    async handler(context: CallContext<Params>) {
      const problems = check(context.params as object);
      if (problems.length > 0) throw asError(refuse("INVALID_REQUEST", problems));
      if (!mayCall(contract, context.params as object, context.meta.caller)) throw asError(refuse("FORBIDDEN"));
      if (isLogged(context.broker, "debug")) actionLogger(context).debug(logFieldsOf(context), "action");
      const work = async () => {
        const result = await handler(context.params, context);
        if (!isRead(contract) && !isRefusal(result) && !isDryRun(contract, context.params)) logWrite(context, result);
        return result;
      };
      const result = await runOnce(writeContextOf(contract, context.meta), work).catch((error: unknown) => {
        throw asSafeError(error, contract, context);
      });
      if (isRefusal(result)) throw asError(result);
      return result;
    },
  };
  return { [verb]: schema };
}

/** The write that the call belongs to. A read has no id; a write without an id in its meta is a new write. */
function writeContextOf(contract: Pick<ActionContract<unknown, unknown>, "keys">, meta: CallMeta): WriteContext {
  const { writeUntil: deadline, writeId } = meta;
  if (isRead(contract)) return { deadline };
  if (writeId !== undefined && !isWriteId(writeId)) throw asError(refuse("INVALID_REQUEST", [INVALID_WRITE_ID]));
  return { deadline, id: writeId ?? newWriteId(), origin: originOf(meta) };
}

/** The request of a call, if it is valid and short enough to be stored. Bus users set these fields themselves. */
function originOf({ requestId, traceparent }: CallMeta): WriteContext["origin"] {
  if (requestId === undefined || requestId.length > MAX_REQUEST_ID_LENGTH) return undefined;
  return readTraceparent(traceparent) === undefined ? { requestId } : { requestId, traceparent: traceparent as string };
}

const MAX_REQUEST_ID_LENGTH = 64;

const INVALID_WRITE_ID: FieldProblem = {
  field: "meta.writeId",
  code: "MALFORMED",
  message: "must be a UUID of version 7",
};

/**
 * Runs a write once: a second attempt that arrives during the first one shares its outcome. If the second attempt ran,
 * it would see neither the result of the first one nor the first one's share of a limit.
 */
function singleFlightWrites<Outcome>(): (write: WriteContext, work: () => Promise<Outcome>) => Promise<Outcome> {
  const inFlight = new Map<WriteId, Promise<Outcome>>();
  return (write, work) => {
    const { id } = write;
    if (id === undefined) return runInWriteContext(write, work);
    const before = inFlight.get(id);
    if (before !== undefined) return before;
    const outcome = runInWriteContext(write, work).finally(() => inFlight.delete(id));
    inFlight.set(id, outcome);
    return outcome;
  };
}

/** Whether the action only reads. Every action with the key rule `none`, which only services call, is a read. */
export function isRead({ keys }: Pick<ActionContract<unknown, unknown>, "keys">): boolean {
  return !keys.endsWith("write");
}

function isDryRun<Params>(contract: Pick<ActionContract<Params, unknown>, "isDryRun">, params: Params): boolean {
  return contract.isDryRun?.(params) === true;
}

function logFieldsOf({ action, meta }: Context<unknown, CallMeta>): object {
  return { action: action?.name, ...requestFields(meta) };
}

/**
 * Logs a completed write: who changed what, for which request. Of params and result the line has only ids and the
 * revision, never a text or a secret.
 */
function logWrite(context: Context<unknown, CallMeta>, result: unknown): void {
  const { broker, params, meta } = context;
  if (!isLogged(broker, "info")) return;
  const { guildId, id, eventId, calendarNumber, revision } = { ...Object(params), ...Object(result) } as Partial<
    Record<"guildId" | "id" | "eventId" | "calendarNumber" | "revision", string | number>
  >;
  // One type for each field: stores of logs refuse a field with values of several types.
  const record = { guildId, id: asText(id ?? eventId ?? calendarNumber ?? guildId), revision: asText(revision) };
  actionLogger(context).info({ keyId: meta.caller?.keyId, ...record, ...logFieldsOf(context) }, "write");
}

function asText(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** The broker's own logger writes only errors (moleculer.config.ts), so actions have a logger of their own. */
function actionLogger({ broker }: Context<unknown, CallMeta>): ServiceBroker["logger"] {
  return broker.getLogger("actions");
}

/** Converts a refusal to an error that can cross the bus: `type`, `code` and `data` survive, the class does not. */
export function asError({ refusal, problems, message }: Refusal): Error {
  const { status, message: defaultMessage } = ERRORS[refusal];
  const data = problems === undefined ? undefined : { problems };
  const isTemporary = refusal === "UNAVAILABLE" || refusal === "OUTCOME_UNKNOWN";
  const ErrorClass = isTemporary ? MoleculerRetryableError : MoleculerClientError;
  return new ErrorClass(message ?? defaultMessage, status, refusal, data);
}

/**
 * Converts an error of the error table back to its refusal, whichever process threw it; undefined for any other
 * error.
 */
export function asRefusal(error: unknown): Refusal | undefined {
  // A thrown value may be undefined or a primitive.
  const { type, message, data } = Object(error) as {
    type?: string;
    message?: string;
    data?: Pick<Refusal, "problems">;
  };
  if (type === undefined || !Object.hasOwn(ERRORS, type)) return undefined;
  return refuse(type as ErrorType, data?.problems, message);
}

/**
 * The error that the caller receives. A refusal passes unchanged. The text of an unexpected error is only logged here.
 */
function asSafeError(
  error: unknown,
  contract: Pick<ActionContract<unknown, unknown>, "keys">,
  context: Context<unknown, CallMeta>,
): unknown {
  if (asRefusal(error) !== undefined) return error;
  if (error instanceof DeadlinePassed) return asError(refuse("UNAVAILABLE"));
  if (isUnavailable(error)) return asError(unavailableRefusal(contract));
  context.broker.logger.error({ err: error, ...logFieldsOf(context) }, "action failed");
  return asError(refuse("INTERNAL"));
}

/** The refusal of an action whose outcome is unknown. A read has changed nothing; a write may have been stored. */
export function unavailableRefusal(contract: Pick<ActionContract<unknown, unknown>, "keys">): Refusal {
  return refuse(isRead(contract) ? "UNAVAILABLE" : "OUTCOME_UNKNOWN");
}

/** Whether the database or another service was unreachable, or did not respond in time. */
export function isUnavailable(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  if (!(error instanceof MoleculerError)) return false;
  const { retryable, code } = error as { retryable?: boolean; code?: unknown };
  return retryable === true || code === 504;
}
