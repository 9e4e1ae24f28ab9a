/**
 * Stands in a table of fields in place of a field: requests do not have this param, or responses do not have this property of
 * the result.
 */
export const NO_FIELD = Symbol("no field");
