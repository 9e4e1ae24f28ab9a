import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { MAX_OPEN_POSTS } from "../../domain/plan/plan-input.ts";
import type { Post } from "../../domain/post/post.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { GuildPage } from "../post-store.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newDuePoller } from "./due-poller.ts";
import { maxInWorkOfGuild } from "./sink-queue.ts";

const START = 1_000_000;
const DUE_AT = START + 20_000;
const OTHER = "other";

function postsOf(guildId: string, count: number): Post[] {
  const post = { guildId: guildId as GuildId, state: "planned", wakeAt: DUE_AT, dueAt: DUE_AT, fence: 0 };
  return Array.from({ length: count }, (_, at) => ({ ...post, id: `${guildId} ${at}` }) as Post);
}

/**
 * Polls posts of which none is sent. Returns the time from the due instant until the post of the last guild is found, and the
 * largest number of posts that a read of several guilds has returned for one of them.
 */
async function findsLast(
  open: readonly Post[],
  startsAt = START,
): Promise<{ foundAfterMs: number | undefined; mostOfGuild: number }> {
  const time = newVirtualTime(1, startsAt);
  const guildIds = [...new Set(open.map(({ guildId }) => guildId))];
  const byGuild = Map.groupBy(open, ({ guildId }) => guildId);
  let [foundAfterMs, mostOfGuild]: [number | undefined, number] = [undefined, 0];
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, wake: () => void) {
        time.after(ms, wake);
        return () => undefined;
      },
    },
    store: {
      async postsWaking(from: number, before: number, limit: number) {
        return DUE_AT >= from && DUE_AT < before ? open.slice(0, limit) : [];
      },
      async postsOfGuildsWaking(from: number, before: number, { behind, guilds, postsPerGuild }: GuildPage) {
        const page = guildIds.slice(behind === undefined ? 0 : guildIds.indexOf(behind) + 1).slice(0, guilds);
        const waking = ({ wakeAt }: Post) => wakeAt >= from && wakeAt < before;
        const each = page.map((id) => (byGuild.get(id) ?? []).filter(waking).slice(0, postsPerGuild));
        mostOfGuild = Math.max(mostOfGuild, ...each.map(({ length }) => length));
        return { posts: each.flat(), last: page.length < guilds ? undefined : page.at(-1) };
      },
    },
    reports: {},
  } as unknown as Ports;
  const poller = newDuePoller(
    ports,
    STANDARD_TIMING,
    newLifecycle(ports),
    () => [],
    (posts) => {
      if (posts.at(-1)?.guildId === OTHER) foundAfterMs ??= time.now - DUE_AT;
    },
  );
  time.after(0, () => poller.start());
  await time.run(startsAt + 30_000, () => foundAfterMs !== undefined);
  return { foundAfterMs, mostOfGuild };
}

describe("a post that is due at the same instant as all open posts of other guilds", () => {
  const guilds = (count: number, posts = MAX_OPEN_POSTS) =>
    Array.from({ length: count }, (_, at) => postsOf(`large ${at}`, posts)).flat();

  test.each([
    [1, MAX_OPEN_POSTS],
    [8, MAX_OPEN_POSTS],
    [40, MAX_OPEN_POSTS],
    [3_000, 100],
  ])("is found before it is due, if there are %i of them with %i posts each", async (count, posts) => {
    const { foundAfterMs } = await findsLast([...guilds(count, posts), ...postsOf(OTHER, 1)]);
    expect(foundAfterMs).toBeLessThan(0);
  });

  test("is found although it is late, and so are thousands of theirs", async () => {
    const open = [...guilds(200, 500), ...postsOf(OTHER, 1)];
    const { foundAfterMs } = await findsLast(open, DUE_AT + 60_000);
    expect(foundAfterMs).toBeLessThan(60_000 + STANDARD_TIMING.pollLateEveryMs);
  });

  test("is found by reads that return few posts of each guild", async () => {
    const { mostOfGuild } = await findsLast([...guilds(30), ...postsOf(OTHER, 1)]);
    expect(mostOfGuild).toBeGreaterThan(maxInWorkOfGuild(STANDARD_TIMING.maxPostsInWork));
    expect(mostOfGuild).toBeLessThan(100);
  });
});
