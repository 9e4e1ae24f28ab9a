import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import type { WriteId } from "../../contracts/ids.ts";
import { wasNotReceived } from "../service-health.ts";
import type { IdempotencyQuota, QuotaExceeded } from "./idempotency-quota.ts";
import type { IdempotencyRecordsStore, StoredResponse } from "./idempotency-records.store.ts";

/** A create request with an `Idempotency-Key` header. */
export interface IdempotentRequest {
  /** The value of the header. */
  readonly idempotencyKey: string;
  readonly keyId: string;
  readonly guildId: string;
  readonly path: string;
  readonly params: unknown;
}

/**
 * Performs a request once, even if it is sent several times within 24 hours. Resolves with the response, or with a refusal if
 * another request uses the key, or if the guild uses too many keys. Rejects with the error of `perform` or of the store.
 */
export type RunIdempotently = (
  request: IdempotentRequest,
  perform: (writeId: WriteId) => Promise<StoredResponse>,
) => Promise<StoredResponse | Refusal | QuotaExceeded>;

/** The parsed `Idempotency-Key` header. */
export interface IdempotencyKey {
  /** Undefined without the header. */
  readonly value?: string;
  readonly problems: readonly FieldProblem[];
}

export const NO_IDEMPOTENCY_KEY: IdempotencyKey = { problems: [] };

/**
 * Reads `Idempotency-Key`. The IETF draft has quotation marks around the value, which most clients omit: quotation marks are
 * part of the value here.
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): IdempotencyKey {
  const value = headers["idempotency-key"];
  if (value === undefined) return NO_IDEMPOTENCY_KEY;
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return { value, problems: [] };
  const message = "must be 1 to 255 characters of visible ASCII";
  return { problems: [{ field: "Idempotency-Key", code: "MALFORMED", message }] };
}

/**
 * All requests with the same key have the same write id, and the owner of the resource performs a write id once. A retry
 * therefore calls the owner again, whether the first response was lost or is still pending. `onError` receives the error if
 * a response could not be stored; the request itself has succeeded then.
 */
export function idempotentRunner(
  store: IdempotencyRecordsStore,
  quota: IdempotencyQuota,
  onError: (error: unknown) => void,
): RunIdempotently {
  return async ({ idempotencyKey, keyId, guildId, path, params }, perform) => {
    const id = hash("sha256", JSON.stringify([keyId, path, idempotencyKey]), "hex");
    const digest = hash("sha256", JSON.stringify(params), "hex");
    const quotaExceeded = await quota.reserve(guildId);
    if (quotaExceeded !== undefined && !(await store.exists(id))) return quotaExceeded;
    const ownWriteId = newWriteId();
    const claim = await store.claim(id, digest, ownWriteId, guildId);
    const { response, writeId } = claim;
    if (quotaExceeded === undefined && writeId !== ownWriteId) quota.release(guildId);
    if (claim.digest !== digest) return refuse("IDEMPOTENCY_KEY_REUSED");
    if (response !== undefined) return response;
    try {
      const stored = await perform(writeId);
      await store.saveResponse(id, writeId, stored).catch(onError);
      return stored;
    } catch (error) {
      if (hasChangedNothing(error)) await store.release(id, writeId).catch(onError);
      throw error;
    }
  };
}

/** True for a refusal, UNAVAILABLE, and a call that no service received: another request may use the key. */
function hasChangedNothing(error: unknown): boolean {
  if (wasNotReceived(error)) return true;
  const refusal = asRefusal(error);
  if (refusal === undefined) return false;
  return refusal.refusal === "UNAVAILABLE" || ERRORS[refusal.refusal].status < 500;
}
