import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { counts, newImportGuild, none, startImportGateway, vcalendar } from "../../../test/harness/import-guild.ts";
import type { TestGateway } from "../../../test/harness/test-gateway.ts";

describe("an import after a split (D51, D52)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startImportGateway();
  });
  afterAll(() => gateway.stop());

  test("a series that was split keeps both parts when its file is imported again, which the report says", async () => {
    const guild = newImportGuild(gateway);
    const text = vcalendar(
      "UID:s\nDTSTART:20260302T100000Z\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=8\nSUMMARY:Imported",
      "UID:s\nRECURRENCE-ID:20260309T100000Z\nDTSTART:20260309T120000Z\nDURATION:PT1H\nSUMMARY:Second",
      "UID:s\nRECURRENCE-ID:20260406T100000Z\nDTSTART:20260406T120000Z\nDURATION:PT1H\nSUMMARY:Sixth",
    );
    await guild.load(text);
    const { path } = await guild.ask("/v2/calendar/feeds/create", guild.where);
    const feed = async () => (await gateway.request(path as string)).text;
    const feedBefore = await feed();
    const ids = (await guild.list()).map(({ event_id }) => event_id as string);
    const fourth = { ...guild.where, event_id: ids[3], scope: "following" };
    const { id: later } = await guild.ask("/v2/events/update", { ...fourth, name: "Ours" });
    const split = await guild.list();
    expect(split.map(({ name }) => name)).toEqual([
      "Imported",
      "Second",
      "Imported",
      "Ours",
      "Ours",
      "Sixth",
      "Ours",
      "Ours",
    ]);

    const reported = async (body: string, query = "") => {
      const { report, ...outcome } = await guild.load(body, query);
      const entries = report as { readonly line: number; readonly reason: string }[];
      return [counts(outcome), entries.map(({ line, reason }) => `${line} ${reason}`)];
    };
    const kept = [{ ...none, unchanged: 1, skipped: 2 }, ["3 SPLIT_SERIES", "17 SPLIT_SERIES"]];
    expect(await reported(text, "&dry_run=true")).toEqual(kept);
    expect(await reported(text)).toEqual(kept);
    expect(await guild.list()).toEqual(split);
    // Our own feed has both parts; a copy of it from before the split has the series as a whole.
    expect(await reported(await feed())).toEqual([{ ...none, unchanged: 4 }, []]);
    const [{ skipped, updated }, reasons] = (await reported(feedBefore)) as [Record<string, number>, string[]];
    expect([skipped, updated, reasons.every((reason) => reason.endsWith("SPLIT_SERIES"))]).toEqual([2, 0, true]);
    const whole = vcalendar("UID:s\nDTSTART:20260302T100000Z\nSTATUS:CANCELLED");
    expect(await reported(whole)).toEqual([{ ...none, skipped: 1 }, ["3 SPLIT_SERIES"]]);
    expect(await guild.list()).toEqual(split);

    const series = ids[0]!.split("_", 1)[0];
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: series });
    expect(await guild.load(text)).toMatchObject({ ...none, skipped: 3 });
    expect(await guild.load(feedBefore)).toMatchObject({ ...none, skipped: 3 });
    expect(await guild.list()).toEqual(split.slice(3));
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: later });
    expect(await guild.load(text)).toMatchObject({ ...none, created: 3 });
    expect((await guild.list()).map(({ epoch_start }) => epoch_start)).toEqual(
      split.map(({ epoch_start }) => epoch_start),
    );
  });
});
