/** Keeps at most `most` values, each for at most `ageMs`; of too many the oldest goes. */
export interface ExpiringCache<Value> {
  get(key: string, now: number): Value | undefined;
  set(key: string, value: Value, now: number): void;
  delete(key: string): void;
}

/** Times are milliseconds of a clock that never goes back. */
export function expiringCache<Value>(most: number, ageMs: number): ExpiringCache<Value> {
  /** In the order of their time. */
  const entries = new Map<string, { readonly value: Value; readonly at: number }>();
  return {
    get(key, now) {
      const entry = entries.get(key);
      return entry !== undefined && now - entry.at < ageMs ? entry.value : undefined;
    },
    set(key, value, now) {
      entries.delete(key);
      entries.set(key, { value, at: now });
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
