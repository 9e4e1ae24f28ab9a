import { describe, expect, test } from "@jest/globals";
import { NOON, sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { planGuild } from "./plan-guild.ts";

const GUILD = "9" as GuildId;

describe("a post that a plan cancels", () => {
  test("is reported without the request of an earlier claim, which has not cancelled it", async () => {
    const store = newMemoryPostStore(() => NOON);
    const settled: Post[] = [];
    let rules: readonly AnnouncementRule[] = [sampleAnnouncement()];
    const ports = {
      store,
      clock: { now: () => NOON },
      timers: { after: (_ms: number, wake: () => void) => void setImmediate(wake) },
      sinks: [{ name: "log" }],
      owners: {
        announcementRules: async () => rules,
        announcement: async () => rules[0] ?? null,
        settings: async () => ({}),
        occurrences: async () => ({ occurrences: [sampleOccurrence()], truncated: false, former: [] }),
      },
      reports: { settled: (post: Post) => settled.push(post) },
    } as unknown as Ports;
    const plan = () => planGuild(ports, STANDARD_TIMING, GUILD, NOON, {}, "any");
    await plan();
    for (const post of store.posts.values()) {
      const claimed = { ...post, fence: 1, attempts: 1, changedBy: { at: 1, requestId: "r-earlier" } };
      (store.posts as Map<string, Post>).set(post.id, claimed);
    }
    rules = [];
    await plan();
    expect(settled).toMatchObject([{ state: "cancelled", reason: "the announcement was deleted" }]);
    expect(settled[0]).not.toHaveProperty("changedBy");
  });
});
