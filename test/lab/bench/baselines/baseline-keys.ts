import { hash } from "node:crypto";
import type { BaselineKey } from "./baseline-data.ts";

const REMEMBERED_MS = 4_000;

interface StoredKeys {
  findOne(filter: Pick<BaselineKey, "_id">): Promise<BaselineKey | null>;
}

/** Finds a key by its text, and caches it for four seconds, as the service does. */
export function baselineKeys(keys: StoredKeys): (authorization: string) => Promise<BaselineKey | null> {
  const known = new Map<string, { readonly key: BaselineKey | null; readonly at: number }>();
  return async (authorization) => {
    const held = known.get(authorization);
    const now = Date.now();
    if (held !== undefined && now - held.at < REMEMBERED_MS) return held.key;
    const text = authorization.replace(/^Bearer +/i, "");
    const key = await keys.findOne({ _id: hash("sha256", text, "hex") });
    known.set(authorization, { key, at: now });
    return key;
  };
}

export function opens({ guilds }: BaselineKey, guildId: string): boolean {
  return guilds.length === 0 || guilds.includes(guildId);
}
