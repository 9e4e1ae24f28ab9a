/** The fields, with an optional field in place of each one that may be undefined. */
type DefinedFields<Fields> = { -readonly [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

/** The fields that are not undefined. An undefined field would be stored as null, and sent over the bus. */
export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const defined: Partial<Fields> = {};
  for (const field in fields) if (fields[field] !== undefined) defined[field] = fields[field];
  return defined as DefinedFields<Fields>;
}

/** The list; undefined in place of an empty one, for `definedFields`. */
export function unlessEmpty<Entry>(entries: readonly Entry[]): readonly Entry[] | undefined {
  return entries.length === 0 ? undefined : entries;
}
