import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { MAX_OPEN_POSTS } from "../../domain/plan/plan-input.ts";
import type { Post } from "../../domain/post/post.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newDuePoller } from "./due-poller.ts";

const START = 1_000_000;
const DUE_AT = START + 20_000;
const OTHER = "other";

function postsOf(guildId: string, count: number): Post[] {
  const post = { guildId: guildId as GuildId, state: "planned", wakeAt: DUE_AT, dueAt: DUE_AT, fence: 0 };
  return Array.from({ length: count }, (_, at) => ({ ...post, id: `${guildId} ${at}` }) as Post);
}

/**
 * Polls posts of which none is sent. Returns the time from the due instant until the post of the last guild is found, and the
 * largest number of reads within a second.
 */
async function findsLast(open: readonly Post[]): Promise<{ foundAfterMs: number | undefined; reads: number }> {
  const time = newVirtualTime(1, START);
  const reads = new Map<number, number>();
  let foundAfterMs: number | undefined;
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, wake: () => void) {
        time.after(ms, wake);
        return () => undefined;
      },
    },
    store: {
      async postsWaking(from: number, before: number, limit: number, except: readonly GuildId[] = []) {
        const second = Math.floor(time.now / 1_000);
        reads.set(second, (reads.get(second) ?? 0) + 1);
        const waking = open.filter(({ wakeAt }) => wakeAt >= from && wakeAt < before);
        return waking.filter(({ guildId }) => !except.includes(guildId)).slice(0, limit);
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
  await time.run(DUE_AT + 30_000, () => false);
  return { foundAfterMs, reads: Math.max(...reads.values()) };
}

describe("a post that is due at the same instant as all open posts of other guilds", () => {
  const guilds = (count: number) =>
    Array.from({ length: count }, (_, at) => postsOf(`large ${at}`, MAX_OPEN_POSTS)).flat();

  test.each([1, 8])("is found before it is due, if there are %i of them", async (count) => {
    const { foundAfterMs } = await findsLast([...guilds(count), ...postsOf(OTHER, 1)]);
    expect(foundAfterMs).toBeLessThan(0);
  });

  test("is not searched in more than four reads of a poll", async () => {
    const { reads } = await findsLast([...guilds(30), ...postsOf(OTHER, 1)]);
    // Polls of upcoming and of late posts.
    expect(reads).toBeLessThanOrEqual(8);
  });
});
