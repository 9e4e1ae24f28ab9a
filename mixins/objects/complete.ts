/** Requires the fields of T that `Given` does not name, and forbids fields that T does not have. */
type NamesFieldsOf<T, Given> = { readonly [Field in Exclude<keyof T, keyof Given>]: unknown } & {
  readonly [Field in Exclude<keyof Given, keyof T>]: never;
};

/**
 * Returns the object that it is given. `complete<Times>()({ startsAt, endsAt })` does not compile when Times gets
 * another field, even an optional one, so that no field is lost where an object is built field by field. An optional
 * field counts as named if the object may have it, as in `...definedFields({ color })`.
 */
export function complete<T extends object>(): <Given extends T>(given: Given & NamesFieldsOf<T, Given>) => T {
  return (given) => given;
}
