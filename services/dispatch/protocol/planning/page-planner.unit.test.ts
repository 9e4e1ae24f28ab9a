import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { newInFlightPages } from "./in-flight-pages.ts";
import { newPagePlanner } from "./page-planner.ts";
import { newPlannedChanges } from "./planned-changes.ts";
import type { Planner } from "./planner.ts";

const FEED = "calendar-events";
const PLAN_MS = 200;
/** Plans have the posts from this instant on. */
const SINCE = 0;
const NEVER = new Promise<never>(() => undefined);

/** A replica that plans the changes of pages. */
function pagePlanner(announcing: boolean | "unknown" = true) {
  const time = newVirtualTime(1, 0);
  const plannedAt: { readonly guildId: string; readonly at: number }[] = [];
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, happen: () => void) {
        time.after(ms, happen);
        return () => undefined;
      },
    },
    owners: {
      async announcingGuilds(guilds: readonly GuildId[]) {
        if (announcing === "unknown") throw new Error("no response");
        return announcing ? guilds : [];
      },
    },
    reports: { operationFailed: () => undefined },
  } as unknown as Ports;
  const planner = {
    request(guildId: GuildId) {
      plannedAt.push({ guildId, at: time.now });
      const done = new Promise<number>((resolve) => time.after(PLAN_MS, () => resolve(time.now)));
      return { planned: done, heldBack: NEVER };
    },
    isBeyondHorizon: () => false,
  } as unknown as Planner;
  const planned = newPlannedChanges();
  const pages = newPagePlanner(
    ports,
    newLifecycle(ports),
    FEED,
    { planner, planned },
    newInFlightPages(() => undefined),
  );
  let doneAt: number | undefined;
  return {
    time,
    plannedAt,
    planned,
    /** Plans a page at an instant. */
    planPage: (at: number, ...page: Change[]) =>
      time.after(at, () => {
        void (async () => {
          await Promise.all(await pages.begin(await pages.select(page, SINCE), 0));
          doneAt = time.now;
        })();
      }),
    select: (...page: Change[]) => pages.select(page, SINCE),
    doneAt: () => doneAt,
    run: () => time.run(5_000, () => false),
  };
}

function changeOf(guildId: string, revision = 1): Change {
  return { id: `event of ${guildId}`, guildId: guildId as GuildId, revision, changedAt: 1_000, deleted: false };
}

describe("a changed guild", () => {
  test("is planned, and the change counts as planned when the plan is stored", async () => {
    const { time, planPage, plannedAt, planned, doneAt, run } = pagePlanner();
    planPage(0, changeOf("1"), changeOf("2"));
    const isPlanned = () => planned.includes(FEED, changeOf("1"), SINCE);
    const before: boolean[] = [];
    time.after(PLAN_MS - 1, () => before.push(isPlanned()));
    await run();
    expect(plannedAt).toEqual(["1", "2"].map((guildId) => ({ guildId, at: 0 })));
    expect(before).toEqual([false]);
    expect(isPlanned()).toBe(true);
    expect(doneAt()).toBe(PLAN_MS);
  });

  test("is not planned after a change that was planned after its broadcast", async () => {
    const { planPage, plannedAt, planned, run } = pagePlanner();
    planned.add([{ feed: FEED, id: "event of 1", revision: 1, since: SINCE }]);
    planPage(0, changeOf("1"), changeOf("2"));
    await run();
    expect(plannedAt.map(({ guildId }) => guildId)).toEqual(["2"]);
  });

  test("is planned once for a change that is read twice", async () => {
    const { planPage, plannedAt, run } = pagePlanner();
    planPage(0, changeOf("1"));
    planPage(1_000, changeOf("1"), changeOf("1", 2));
    planPage(2_000, changeOf("1", 2));
    await run();
    expect(plannedAt.map(({ at }) => at)).toEqual([0, 1_000]);
  });

  test("is not planned without announcements", async () => {
    const { planPage, plannedAt, doneAt, run } = pagePlanner(false);
    planPage(0, changeOf("1"));
    await run();
    expect(plannedAt).toEqual([]);
    expect(doneAt()).toBe(0);
  });

  test("is read again if the owner does not say whether it has announcements", async () => {
    const { select } = pagePlanner("unknown");
    await expect(select(changeOf("1"))).rejects.toThrow("no response");
  });
});
