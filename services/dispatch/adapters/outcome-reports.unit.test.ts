import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { metricsRegistry } from "../../../mixins/observability/metrics.ts";
import type { PostState } from "../../contracts/dispatch.contract.ts";
import { NOON } from "../../../test/fixtures/dispatch-samples.ts";
import { exportDispatchMetrics } from "../dispatch.metrics.ts";
import type { Post } from "../domain/post/post.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { FailureDetails } from "../protocol/ports.ts";
import { outcomeReports } from "./outcome-reports.ts";

const post = (state: PostState, differs: Partial<Post> = {}) =>
  ({
    id: "a1:e1:5:log:1",
    guildId: "9",
    announcementId: "a1",
    occurrenceId: "e1",
    startsAt: NOON,
    dueAt: NOON - 60_000,
    channel: "77",
    sink: "log",
    settledAt: NOON,
    state,
    ...differs,
  }) as Post;

/** Reports these posts; returns the log lines and broadcasts. */
function report(...posts: Post[]) {
  const lines: unknown[][] = [];
  const broadcasts: unknown[][] = [];
  const write = (level: string) => (fields: object, text: string) => void lines.push([level, fields, text]);
  const logger = { info: write("info"), warn: write("warn") } as never;
  const broker = { broadcast: async (...args: unknown[]) => void broadcasts.push(args) } as unknown as ServiceBroker;
  const reports = outcomeReports(broker, logger);
  for (const each of posts) reports.settled(each);
  return { lines, broadcasts };
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CHANGED_BY = { at: NOON, requestId: "r-1", traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };

/** The log line of a failed operation. */
function failureLine(operation: string, details: FailureDetails): unknown[] {
  const lines: unknown[] = [];
  const logger = { warn: (fields: object) => void lines.push(fields) } as never;
  outcomeReports({} as ServiceBroker, logger).operationFailed(operation, details);
  return lines;
}

describe("an outcome", () => {
  beforeAll(() => {
    exportDispatchMetrics();
    // In the first minute of a process, posts are not counted yet.
    jest.spyOn(process, "uptime").mockReturnValue(60);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  test("is exported as 0 before the first post, so that the first post is an increase", async () => {
    const text = await metricsRegistry.metrics();
    expect(text).toMatch(/^guildcal_posts_settled_total\{state="missed",reason="NOT_TAKEN_UP"\} 0$/m);
    expect(text).toMatch(/^guildcal_posts_settled_total\{state="failed",reason="REFUSED"\} 0$/m);
  });

  test.each([
    ["sent", "info", "announcement.posted"],
    ["missed", "warn", "announcement.missed"],
    ["failed", "warn", "announcement.failed"],
    ["unknown", "warn", "announcement.failed"],
    ["skipped", "info", undefined],
    ["cancelled", "info", undefined],
  ] as const)("%s is one line at the level %s, and the broadcast %s", (state, level, event) => {
    const { lines, broadcasts } = report(post(state, { reason: "why", lateMs: 12, messageId: "m" }));
    expect(lines).toEqual([
      [
        level,
        {
          post: "a1:e1:5:log:1",
          sink: "log",
          guildId: "9",
          announcementId: "a1",
          eventId: "e1",
          startsAt: NOON,
          dueAt: NOON - 60_000,
          channel: "77",
          state,
          settledAt: NOON,
          lateMs: 12,
          reason: "why",
          ...(state === "sent" ? {} : { reasonCode: "OTHER" }),
          messageId: "m",
        },
        "announcement settled",
      ],
    ]);
    expect(broadcasts.map(([name]) => name)).toEqual(event === undefined ? [] : [event]);
  });

  test("has the request and the trace of the change that caused it", () => {
    const { lines } = report(post("missed", { changedBy: CHANGED_BY }));
    expect(lines).toMatchObject([["warn", { requestId: "r-1", traceId: TRACE }, "announcement settled"]]);
  });

  test("is counted by state and reason code, and its lateness by sink", async () => {
    report(post("failed", { reason: "HTTP 404 10003 <a channel's name>" }), post("sent", { lateMs: 30 }));
    const text = await metricsRegistry.metrics();
    expect(text).toMatch(/^guildcal_posts_settled_total\{state="failed",reason="REFUSED"\} 1$/m);
    expect(text).toMatch(/^guildcal_post_lateness_seconds_bucket\{le="0.05",sink="log"\} [1-9]/m);
    expect(text).not.toContain("a channel's name");
  });

  test("a failed operation is one log line with the complete error, and is counted", async () => {
    const error = new Error("gone");
    expect(failureLine("claim", { guildId: "9" as GuildId, error })).toEqual([
      { operation: "claim", guildId: "9", err: error },
    ]);
    await expect(metricsRegistry.metrics()).resolves.toMatch(
      /^guildcal_dispatch_errors_total\{operation="claim"\} 1$/m,
    );
  });

  test("a failed operation of a post has its guild, and the request and the trace of the change that caused it", () => {
    const failed = post("sending", { changedBy: CHANGED_BY });
    expect(failureLine("edit message", { post: failed, reason: "HTTP 503" })).toEqual([
      {
        operation: "edit message",
        post: failed.id,
        guildId: "9",
        requestId: "r-1",
        traceId: TRACE,
        reason: "HTTP 503",
      },
    ]);
  });
});
