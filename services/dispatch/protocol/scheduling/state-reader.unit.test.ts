import { describe, expect, test } from "@jest/globals";
import { NOON, sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { ChangeFeedConsumer } from "../planning/change-feed-consumer.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newStateReader } from "./state-reader.ts";

const GUILD = "1" as GuildId;
const POST = { id: "p1", guildId: GUILD, announcementId: "a1", occurrenceId: "e1", planRevision: 1, fence: 0 } as Post;

/**
 * The state of a post that is read every second while the owners are silent, and the feeds confirm every plan.
 *
 * @param pauseMs - How long the process stands still during the last read.
 */
async function stateAfterSilence({ requested = false, pauseMs = 0 }) {
  let now = NOON;
  const store = newMemoryPostStore(() => now);
  const sourceOf = (id: string, content: object) => ({
    id: `${GUILD}/${id}`,
    version: "1",
    text: JSON.stringify(content),
    neededUntil: NOON,
  });
  const sources = [
    sourceOf("settings", {}),
    sourceOf("announcement/a1", sampleAnnouncement()),
    sourceOf("occurrence/e1", sampleOccurrence()),
  ];
  const nothing = { inserts: [], updates: [], removes: [] };
  await store.commitPlan({ guildId: GUILD, version: 0, plannedThrough: NOON, replanAt: NOON, ...nothing, sources });
  if (requested) await store.requestPlan(GUILD, NOON);
  let lastTakesMs = 0;
  const silent = async () => {
    now += lastTakesMs;
    lastTakesMs = 0;
    throw new Error("no response");
  };
  const ports = {
    clock: { now: () => now },
    store,
    owners: { announcement: silent, occurrence: silent, settings: silent, isReachable: () => true },
  } as unknown as Ports;
  const feeds = { confirmedAt: () => now } as ChangeFeedConsumer;
  const reader = newStateReader(ports, STANDARD_TIMING, feeds);
  for (; now < NOON + STANDARD_TIMING.ownersSilentMs; now += 1_000) {
    await expect(reader.read(POST)).resolves.toBeUndefined();
  }
  lastTakesMs = pauseMs;
  return reader.read(POST);
}

describe("while the owner services are silent", () => {
  test("the stored plan takes the place of the current state after eight seconds", async () => {
    await expect(stateAfterSilence({})).resolves.toMatchObject({ state: { announcement: { id: "a1" } } });
  });

  test("the stored plan is not used if a change of the guild waits for another plan", async () => {
    await expect(stateAfterSilence({ requested: true })).resolves.toBeUndefined();
  });

  test("the stored plan is not used after a pause of this process: the owners may have responded meanwhile", async () => {
    await expect(stateAfterSilence({ pauseMs: 4_000 })).resolves.toBeUndefined();
  });
});

test("the current state has the holiday of the occurrence only if the announcement skips holidays (D66)", async () => {
  const asked: (number | undefined)[] = [];
  const holidays = [{ calendarNumber: 2, name: "Christmas Day" }];
  const stateBy = async (skipOn: { readonly skipOn?: number }) => {
    const ports = {
      clock: { now: () => NOON },
      owners: {
        announcement: async () => sampleAnnouncement(skipOn),
        async occurrence(_: unknown, __: unknown, holidaysOf?: number) {
          asked.push(holidaysOf);
          return sampleOccurrence(holidaysOf === undefined ? {} : { holidays });
        },
        settings: async () => ({}),
        isReachable: () => true,
      },
    } as unknown as Ports;
    return (await newStateReader(ports, STANDARD_TIMING, {} as ChangeFeedConsumer).read(POST))?.state.occurrence;
  };
  expect(await stateBy({})).not.toHaveProperty("holidays");
  expect(asked).toEqual([undefined]);
  expect(await stateBy({ skipOn: 2 })).toMatchObject({ holidays });
  expect(asked).toEqual([undefined, undefined, 2]);
});
