import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import type { WriteId } from "../../contracts/ids.ts";
import { wasNotBegun } from "../service-watch.ts";
import type { KeptAnswersStore } from "./kept-answers.store.ts";

/** A create request that its sender may send again, and the name that he gave it. */
export interface NamedRequest {
  readonly name: string;
  readonly keyId: string;
  readonly path: string;
  readonly params: unknown;
}

/** What a request that was done is answered with. */
export interface Done {
  readonly body: string;
  /** The header of that name. */
  readonly etag?: string | undefined;
}

/**
 * Does a request once, however often it is sent within 24 hours: what it was answered with, or why not.
 * Rejects with whatever `perform` rejects with.
 */
export type Once = (request: NamedRequest, perform: (writeId: WriteId) => Promise<Done>) => Promise<Done | Refusal>;

/**
 * The name in `Idempotency-Key`; undefined without one.
 * The draft of the IETF has it between quotation marks, its users mostly without: both are taken as they are.
 */
export function nameOf(headers: IncomingHttpHeaders): string | undefined | Refusal {
  const name = headers["idempotency-key"];
  if (name === undefined) return undefined;
  if (typeof name === "string" && /^[\x21-\x7e]{1,255}$/.test(name)) return name;
  const message = "must be 1 to 255 characters of visible ASCII";
  return refuse("INVALID_REQUEST", [{ field: "Idempotency-Key", code: "MALFORMED", message }]);
}

/**
 * By the write's id: each request under a name makes the same write, which its owner does once. So one whose answer was
 * lost, or is still on its way, is simply made again. `onError` is told when an answer could not be kept: the request itself
 * was done.
 */
export function onceBy(store: KeptAnswersStore, onError: (error: unknown) => void): Once {
  return async ({ name, keyId, path, params }, perform) => {
    const id = hash("sha256", JSON.stringify([keyId, path, name]), "hex");
    const digest = hash("sha256", JSON.stringify(params), "hex");
    const claim = await store.claim(id, digest, newWriteId());
    const { done, writeId } = claim;
    if (claim.digest !== digest) return refuse("IDEMPOTENCY_KEY_REUSED");
    if (done !== undefined) return done;
    try {
      const outcome = await perform(writeId);
      await store.keep(id, writeId, outcome).catch(onError);
      return outcome;
    } catch (error) {
      if (hasChangedNothing(error)) await store.free(id, writeId).catch(onError);
      throw error;
    }
  };
}

/** A refusal, a service that was never asked, or UNAVAILABLE: another request may take the name. */
function hasChangedNothing(error: unknown): boolean {
  if (wasNotBegun(error)) return true;
  const refusal = asRefusal(error);
  if (refusal === undefined) return false;
  return refusal.refusal === "UNAVAILABLE" || ERRORS[refusal.refusal].status < 500;
}
