/** In place of the field of a param or of a result that requests or responses do not have. */
export const NO_FIELD = Symbol("no field");
