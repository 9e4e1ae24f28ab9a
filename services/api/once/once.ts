import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
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
export type Once = (request: NamedRequest, perform: () => Promise<Done>) => Promise<Done | Refusal>;

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

/** `onError` is told when an answer could not be kept: the request itself was done. */
export function onceBy(store: KeptAnswersStore, onError: (error: unknown) => void): Once {
  return async ({ name, keyId, path, params }, perform) => {
    const id = hash("sha256", JSON.stringify([keyId, path, name]), "hex");
    const digest = hash("sha256", JSON.stringify(params), "hex");
    const before = await store.claim(id, digest);
    if (before !== undefined) {
      if (before.digest !== digest) return refuse("IDEMPOTENCY_KEY_REUSED");
      return before.done ?? refuse("IDEMPOTENCY_UNRESOLVED");
    }
    try {
      const done = await perform();
      await store.keep(id, done).catch(onError);
      return done;
    } catch (error) {
      if (hasChangedNothing(error)) await store.release(id).catch(onError);
      throw error;
    }
  };
}

/**
 * A refusal, a service that was never asked, or UNAVAILABLE, which every owner says only of what it has not begun: the
 * sender was told to send it again. After any other error nobody knows.
 */
function hasChangedNothing(error: unknown): boolean {
  if (wasNotBegun(error)) return true;
  const refusal = asRefusal(error);
  if (refusal === undefined) return false;
  return refusal.refusal === "UNAVAILABLE" || ERRORS[refusal.refusal].status < 500;
}
