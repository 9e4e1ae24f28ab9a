import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement } from "../../../test/fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../../../test/lab/simulator/memory-post-store.ts";
import { newVirtualTime } from "../../../test/lab/simulator/virtual-time.ts";
import type { Change, ChangesSinceParams } from "../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { newDispatcher } from "./dispatcher.ts";
import type { Feed } from "./feeds.ts";
import type { Ports } from "./ports.ts";
import { STANDARD_TIMING } from "./timing.ts";

const START = 10_000_000;

/** Replica "one" of dispatch, with a feed of events; records when it reads the announcements for a plan. */
function replicaOf(...replicas: string[]) {
  let known = replicas;
  const time = newVirtualTime(1, START);
  const plans: { readonly guildId: string; readonly at: number }[] = [];
  const changes: Change[] = [];
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, happen: () => void) {
        time.after(ms, happen);
        return () => undefined;
      },
    },
    random: { fraction: () => 0.5, id: () => "id" },
    store: newMemoryPostStore(() => time.now),
    owners: {
      async announcementRules(guildId: GuildId) {
        plans.push({ guildId, at: time.now - START });
        return [sampleAnnouncement()];
      },
      announcingGuilds: async (guilds: readonly GuildId[]) => guilds,
      occurrences: async () => ({ occurrences: [], truncated: false }),
      async changesSince(feed: Feed, { mark }: ChangesSinceParams) {
        const found = feed === "calendar-events" ? changes.filter(({ changedAt }) => changedAt > mark.at) : [];
        const last = found.at(-1);
        if (last === undefined) return { changes: [], mark, more: false };
        return { changes: found, mark: { at: last.changedAt, id: last.id }, readAt: time.now, more: false };
      },
    },
    replicas: { self: "one", all: () => known },
    sinks: [],
    reports: { planned: () => undefined, operationFailed: () => undefined },
  } as unknown as Ports;
  const dispatcher = newDispatcher(ports, STANDARD_TIMING);
  time.after(0, () => dispatcher.start());
  return {
    plans,
    /** An event changes, and the change is broadcast after `broadcastAfterMs`. */
    change: (guildId: string, broadcastAfterMs = 1) => {
      const record = { feed: "calendar-events", id: `event of ${guildId}`, revision: 1 } as const;
      const changedAt = time.now;
      changes.push({ ...record, guildId: guildId as GuildId, changedAt, deleted: false });
      time.after(broadcastAfterMs, () => dispatcher.onChangeHint({ guildId: guildId as GuildId, record }));
    },
    /** A change is broadcast that is far behind others in its feed. */
    hint: (guildId: string) => dispatcher.onChangeHint({ guildId: guildId as GuildId }),
    know: (...list: string[]) => (known = list),
    at: (ms: number, happen: () => void) => time.after(ms, happen),
    run: () => time.run(START + 60_000, () => false),
  };
}

const GUILDS = Array.from({ length: 40 }, (_, at) => String(at));

describe("a change that was broadcast", () => {
  test("is planned at once, and not again when it is read in the feed", async () => {
    const { plans, change, at, run } = replicaOf("one");
    at(10_500, () => change("1"));
    await run();
    expect(plans).toEqual([{ guildId: "1", at: 10_501 }]);
  });

  test("is planned again if the broadcast is so late that the plan may begin after what the change has made due", async () => {
    const { plans, change, at, run } = replicaOf("one");
    at(10_500, () => change("1", 30_000));
    await run();
    expect(plans.length).toBeGreaterThan(1);
  });

  test("is planned by the first replica of its guild, and later by another one if that one does not run", async () => {
    const { plans, change, at, run } = replicaOf("one", "two");
    at(10_500, () => GUILDS.forEach((guildId) => change(guildId)));
    await run();
    const atOnce = plans.filter((plan) => plan.at < 12_500).map(({ guildId }) => guildId);
    expect(atOnce.length).toBeGreaterThan(5);
    expect(atOnce.length).toBeLessThan(GUILDS.length - 5);
    const later = plans.filter((plan) => plan.at >= STANDARD_TIMING.planTakeoverMs).map(({ guildId }) => guildId);
    // That one plans a change that it has heard of and then reads in the feed, which it reads from an earlier instant on.
    expect([...atOnce, ...new Set(later)].toSorted()).toEqual(GUILDS.toSorted());
  });

  test("is planned by the next replica when the first one vanishes, although the feed does not have it yet", async () => {
    const { plans, at, hint, know, run } = replicaOf("one", "two");
    at(10_500, () => GUILDS.forEach(hint));
    at(15_000, () => know("one"));
    await run();
    const [atOnce, later] = [plans.filter((plan) => plan.at < 15_000), plans.filter((plan) => plan.at >= 15_000)];
    expect([...atOnce, ...later].map(({ guildId }) => guildId).toSorted()).toEqual(GUILDS.toSorted());
    expect(later.length).toBeGreaterThan(5);
    expect(Math.max(...later.map((plan) => plan.at))).toBeLessThan(15_000 + 2 * STANDARD_TIMING.feedEveryMs);
  });
});
