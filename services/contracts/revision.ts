import { refuse, type Refusal } from "./errors.ts";
import { listOf, optional, textOf } from "./field-rules.ts";

/**
 * One state of a resource. The ETag of the resource has it between quotation marks (D36). Its form is known only to the owner.
 */
export type Revision = number | string;

/** A result with the revision of the resource after the read or write. */
export interface Revised {
  readonly revision: Revision;
}

/** The form of every revision. */
export const REVISION = /^\d{1,16}(?:\.\d{1,16})?$/;

/** Revisions in one request. */
export const MAX_IF_REVISIONS = 20;

/** The condition of a write (RFC 9110 section 13.1.1). */
export interface IfRevision {
  /** Revisions of the resource for which the write is performed; it is refused for another one. Absent: no condition. */
  readonly ifRevision?: readonly string[];
}

export const ifRevision = optional(listOf(textOf("a revision", REVISION, 33), MAX_IF_REVISIONS));

/**
 * The refusal of a write whose condition does not hold for the stored revision; undefined if it holds. The owner calls it with
 * the state that the write changes, so that no other write comes between (D36).
 */
export function revisionMismatch(stored: Revision, condition: readonly string[] | undefined): Refusal | undefined {
  return condition === undefined || condition.includes(String(stored)) ? undefined : refuse("REVISION_MISMATCH");
}
