import { expect } from "@jest/globals";
import type { TestGateway } from "./test-gateway.ts";

const HOUR = 3_600_000;

/** A change in a response of `/v2/changes`. */
export interface Change {
  readonly kind: string;
  readonly id: string;
  readonly revision: number;
  readonly changed: number;
  readonly deleted: boolean;
  readonly event?: Record<string, unknown>;
  readonly post?: Record<string, unknown>;
  readonly webhook?: Record<string, unknown>;
}

interface ChangesBody {
  readonly changes: Change[];
  readonly sync_token: string;
  readonly more: boolean;
}

let guilds = 900;

/** A new guild, with the requests of the tests of its changes. */
export function changingGuild(gateway: Pick<TestGateway, "post">) {
  const guild_id = String((guilds += 1));
  const where = { guild_id, calendar_number: 1 };
  const startsAt = Date.now() + 2 * HOUR;
  const times = { epoch_start: startsAt, epoch_end: startsAt + HOUR };

  const ask = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await gateway.post(path, body);
    expect([path, response.status, response.text]).toEqual([path, 200, response.text]);
    return response.body;
  };
  const changes = async (sync_token?: string, limit?: number) =>
    (await ask("/v2/changes", { guild_id, sync_token, limit })) as never as ChangesBody;
  return {
    guild_id,
    where,
    times,
    ask,
    changes,
    event: async (fields: object = {}) =>
      String((await ask("/v2/events/create", { ...where, ...times, ...fields }))["id"]),
    rename: (event_id: string, name: string) => ask("/v2/events/update", { ...where, event_id, name }),
    /** All changes after a token, and the token after them. */
    all: async (token?: string) => {
      const found: Change[] = [];
      for (let next = token; ;) {
        const page = await changes(next);
        found.push(...page.changes);
        next = page.sync_token;
        if (!page.more) return { changes: found, token: next };
      }
    },
  };
}
