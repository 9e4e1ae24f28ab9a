import { refuse, type Refusal } from "./errors.ts";
import { listOf, optional, textOf } from "./field-rules.ts";

/**
 * Names one state of a resource; it is what the resource's ETag has between its quotation marks (D36). Only its owner
 * knows how it is made.
 */
export type Revision = number | string;

/** An answer that tells the resource's revision after the read or the write. */
export interface Revised {
  readonly revision: Revision;
}

/** The forms that a revision has; a text of another form names no revision of any resource. */
export const REVISION = /^\d{1,16}(?:\.\d{1,16})?$/;

/** Most revisions that one request may name. */
export const MAX_IF_REVISIONS = 20;

/** The condition of a write (RFC 9110 section 13.1.1). */
export interface IfRevision {
  /** The write is done if the resource's revision is one of these, and refused otherwise. Absent: no condition. */
  readonly ifRevision?: readonly string[];
}

export const ifRevision = optional(listOf(textOf("a revision", REVISION, 33), MAX_IF_REVISIONS));

/**
 * The refusal of a write whose condition does not hold for the revision that is stored. The owner asks for it with the
 * state that the write is made from, so that the condition and the write are one (D36).
 */
export function revisionMismatch(stored: Revision, condition: readonly string[] | undefined): Refusal | undefined {
  return condition === undefined || condition.includes(String(stored)) ? undefined : refuse("REVISION_MISMATCH");
}
