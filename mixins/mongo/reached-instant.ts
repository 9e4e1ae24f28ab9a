/**
 * The expression for a field that stores how far an instant of the record was reached, for `computedFields`: the earlier of the
 * stored instant and the time of the write, or the stored value of the field if that is later. A record without the instant
 * keeps the field as it is. Both fields are in milliseconds since 1970.
 */
export function reachedInstant(field: string, instant: string): Record<string, object> {
  const reached = { $min: [`$${instant}`, { $toLong: "$$NOW" }] };
  const isMissing = { $eq: [{ $type: `$${instant}` }, "missing"] };
  return { [field]: { $cond: [isMissing, `$${field}`, { $max: [`$${field}`, reached] }] } };
}
