import { describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { newMemoryPostStore } from "../../../test/lab/simulator/memory-post-store.ts";
import { until } from "../../../test/harness/until.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { Post } from "../domain/post/post.ts";
import { STANDARD_TIMING } from "../protocol/timing.ts";
import { newOccurrenceNotifier, reportNotification } from "./occurrence-notifier.ts";

const [WITH, WITHOUT] = ["1" as GuildId, "2" as GuildId];

/** A notifier whose calls and reads of plans are recorded. Only one guild has a webhook. */
function notifier() {
  const work: string[] = [];
  const broker = new ServiceBroker({ logger: false });
  broker.call = (async (action: string, params: { guildIds?: readonly string[] }) => {
    work.push(`${action} ${String(params.guildIds)}`);
    if (action === "webhooks.listOccurrenceSubscriptions") {
      return params.guildIds?.includes(WITH) === true ? [{ guildId: WITH, since: { "occurrence.started": 0 } }] : [];
    }
    return { occurrences: [], truncated: false };
  }) as never;
  const store = newMemoryPostStore(Date.now);
  const notifying = newOccurrenceNotifier(
    broker,
    broker.logger,
    {
      clock: { now: Date.now },
      timers: {
        after(ms, wake) {
          const timer = setTimeout(wake, ms);
          return () => clearTimeout(timer);
        },
      },
      random: { fraction: () => 0, id: () => "id" },
      replicas: { self: "r1", all: () => ["r1"] },
      store: {
        ...store,
        guildPlan(guildId) {
          work.push(`plan ${guildId}`);
          return store.guildPlan(guildId);
        },
      },
    },
    STANDARD_TIMING,
    () => undefined,
  );
  return { notifying, work };
}

describe("a change in a guild", () => {
  test("without a webhook for occurrences costs nothing; the others are planned at once", async () => {
    const { notifying, work } = notifier();
    notifying.onWebhookChange({ guildId: WITHOUT });
    notifying.onWebhookChange({ guildId: WITH });
    await until(() => work.includes(`webhooks.listOccurrenceSubscriptions ${WITHOUT}`), "the first is asked for");
    await until(() => work.some((each) => each.startsWith("calendar-events")), "the second is planned");
    work.length = 0;
    notifying.onChange({ guildId: WITHOUT });
    notifying.onChange({ guildId: WITH });
    await until(() => work.includes(`plan ${WITH}`), "the second is planned again");
    expect(work.filter((each) => each.endsWith(` ${WITHOUT}`))).toEqual([]);
    await notifying.stop(1_000);
  });
});

describe("the log line of a notification", () => {
  test.each([
    ["sent", "info"],
    ["missed", "warn"],
  ] as const)(
    "that is %s is at the level %s, with the request and the trace of the event's last change",
    (state, level) => {
      const lines: unknown[] = [];
      const write = (at: string) => (fields: object, text: string) => void lines.push([at, fields, text]);
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
      const changedBy = { at: 1, requestId: "r-1", traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
      const post = { id: "n", guildId: WITH, state, changedBy } as Post;
      reportNotification({ info: write("info"), warn: write("warn") }, post);
      expect(lines).toMatchObject([[level, { notification: "n", requestId: "r-1", traceId }, "notification settled"]]);
    },
  );
});
