/**
 * An invalid field of a request (D4). `field` is a path such as `recurrence.count` or `roles[3]`; the message continues
 * it: "hours" "must be at least 0".
 */
export interface FieldProblem {
  readonly field: string;
  readonly code: FieldProblemCode;
  readonly message: string;
  /** The accepted values, if they can be listed. */
  readonly allowed?: readonly string[];
}

export type FieldProblemCode =
  | "REQUIRED"
  | "WRONG_TYPE"
  | "MALFORMED"
  | "OUT_OF_RANGE"
  | "TOO_LONG"
  | "TOO_SHORT"
  | "TOO_MANY"
  | "NOT_ALLOWED"
  | "CONFLICTING";
