import {
  type FollowedChanges,
  guildcalClient,
  isApiError,
  isNoResponseError,
} from "../../../../clients/http/src/index.ts";
import type { SeenChange } from "./changes-verdict.ts";

/** What a reader reads, and from where. */
export interface ReaderTask {
  readonly baseUrl: string;
  readonly guilds: readonly ReadGuild[];
}

export interface ReadGuild {
  readonly guildId: string;
  readonly key: string;
  /** The token of the last page of each way of reading; absent at first. */
  readonly tokens: Partial<Record<Way, string>>;
}

/** The stream of Server-Sent Events, and `POST /v2/changes`. */
export const WAYS = ["stream", "list"] as const;
export type Way = (typeof WAYS)[number];

/** A page with the token after it. The receiver stores both at once, as a reader has to. */
export interface ReadPage {
  readonly guildId: string;
  readonly way: Way;
  readonly changes: readonly SeenChange[];
  readonly syncToken: string;
}

const LIST_LIMIT = 100;
/**
 * Interval of `POST /v2/changes` after a page that was the last one, in milliseconds. A read calls every owner: twice a second for
 * each guild, the reads would take processor time from the writes.
 */
const POLL_MS = 5_000;

function report(guildId: string, way: Way, { changes, syncToken }: FollowedChanges): void {
  const seen = changes.map(({ kind, id, revision, deleted, changed }) => ({ kind, id, revision, deleted, changed }));
  process.send?.({ guildId, way, changes: seen as SeenChange[], syncToken } satisfies ReadPage);
}

async function follow(baseUrl: string, { guildId, key, tokens }: ReadGuild): Promise<void> {
  const client = guildcalClient({ baseUrl, key });
  for await (const page of client.follow(guildId, { syncToken: tokens.stream })) report(guildId, "stream", page);
}

async function list(baseUrl: string, { guildId, key, tokens }: ReadGuild): Promise<void> {
  const client = guildcalClient({ baseUrl, key });
  let sync_token = tokens.list;
  for (;;) {
    try {
      const body = { guild_id: guildId, limit: LIST_LIMIT, ...(sync_token === undefined ? {} : { sync_token }) };
      const { data } = await client.request("/v2/changes", body);
      sync_token = data.sync_token;
      if (data.changes.length > 0) report(guildId, "list", { changes: data.changes, syncToken: sync_token });
      if (!data.more) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    } catch (error) {
      // A busy machine may let a list wait for so long that it gets a 429.
      if (!isNoResponseError(error) && !(isApiError(error) && isRefusedForNow(error.status))) throw error;
    }
  }
}

function isRefusedForNow(status: number): boolean {
  return status === 429 || status >= 500;
}

process.on("message", ({ baseUrl, guilds }: ReaderTask) => {
  for (const guild of guilds) {
    void follow(baseUrl, guild);
    void list(baseUrl, guild);
  }
});
process.on("disconnect", () => process.exit());
