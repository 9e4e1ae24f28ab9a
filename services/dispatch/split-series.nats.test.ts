import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { occurrenceId } from "../calendar-events/domain/event/occurrence-id.ts";
import { listAnnouncements } from "../contracts/announcements.contract.ts";
import type { Caller } from "../contracts/contract.ts";
import { previewPost } from "../contracts/dispatch.contract.ts";
import type { EventId } from "../contracts/ids.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const caller: Caller = { keyId: "k", kind: "service", access: "write", guilds: [] };

describe("the announcements of a series that is split (D51)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  test("cover the new series, are not dangling, and what was announced is not announced again", async () => {
    const guild = new TestGuild(services, sink);
    const series = await guild.event(9 * DAY, { recurs: true, recurrence: { frequency: "DAILY", count: 4 } });
    const recur = await guild.announcement(60, { type: "RECUR", eventId: series });
    // The series is moved after the second occurrence was due, which is announced at once.
    const second = Date.now() + HOUR / 2;
    await guild.change(series, { startsAt: second - DAY, endsAt: second - DAY + HOUR });
    const idAt = (at: number, of = series) => occurrenceId(of as EventId, at);
    const specific = await guild.announcement(0, { type: "SPECIFIC", eventId: idAt(second + DAY) });
    await until(() => guild.received().length === 1, "the second occurrence is announced");
    const { eventId: following } = (await guild.change(idAt(second), { scope: "following", name: "new" })) as {
      eventId?: EventId;
    };
    const isPlanned = async () =>
      (await guild.upcoming()).filter(({ eventId }) => eventId === idAt(second + DAY, following)).length === 2;
    await until(isPlanned, "both announcements of the third occurrence are planned under its new id");
    const outcomes = (await guild.history()).map(({ state, eventId, reason }) => [state, eventId, reason]);
    expect(outcomes).toContainEqual(["sent", idAt(second), undefined]);
    expect(outcomes).toContainEqual(["skipped", idAt(second, following), "the event had been announced already"]);
    expect(outcomes).toContainEqual([
      "cancelled",
      idAt(second + DAY),
      "the event is in the series that follows, after a split",
    ]);
    expect(guild.received()).toHaveLength(1);
    const listed = await services.call(listAnnouncements, { guildId: guild.id, amount: -1 }, { caller });
    expect(listed.map(({ id, dangling }) => [id, dangling])).toEqual([
      [recur, undefined],
      [specific, undefined],
    ]);
    for (const id of [recur, specific]) {
      const shown = await services.call(previewPost, { guildId: guild.id, id });
      expect(JSON.stringify(shown.messages)).toContain("new");
    }
  });
});
