import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newRecordingSink } from "../../../../test/fixtures/recording-sink.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../../../test/harness/test-gateway.ts";
import { until } from "../../../../test/harness/until.ts";
import { announcementsService } from "../../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../../calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../../dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../../guild-settings/guild-settings.service.ts";
import { openExportFolder } from "./export-folder.ts";
import { guildcalRequests } from "./guildcal-requests.ts";
import { importDiscal } from "./import-discal.ts";
import { openRecord } from "./import-record.ts";
import type { RowOutcome } from "./row-outcome.ts";

const EXAMPLE = new URL("../../../../examples/discal", import.meta.url);
const guild_id = "375357265198317579";
const HOUR = 3_600_000;

describe("an import from DisCal (D60)", () => {
  const sink = newRecordingSink();
  let gateway: TestGateway;
  let folder = "";

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [sink], graceMs: 900_000 }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    folder = await mkdtemp(join(tmpdir(), "guildcal-discal-"));
    await cp(EXAMPLE, folder, { recursive: true });
  });
  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const requests = () => guildcalRequests({ baseUrl: gateway.baseUrl, key: "operator-key-of-the-tests" });

  /** Runs the import, and returns its report. */
  async function run({ isDryRun = false, report = "report.jsonl" } = {}): Promise<RowOutcome[]> {
    const path = join(folder, report);
    const before = isDryRun ? "" : await readFile(path, "utf8").catch(() => "");
    const record = await openRecord(path, isDryRun);
    const parts = {
      folder: await openExportFolder(folder),
      requests: requests(),
      record,
      isWanted: () => true,
      isDryRun,
    };
    await importDiscal({ ...parts, now: Date.now() });
    await record.close();
    const lines = (await readFile(path, "utf8"))
      .slice(before.length)
      .split("\n")
      .filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as RowOutcome);
  }

  const ask = async (path: string, body: object = {}) => {
    const response = await requests().post(path, { guild_id, ...body });
    expect([path, response]).toEqual([path, { status: 200, body: response.body }]);
    return response.body;
  };
  const state = async () => ({
    settings: await ask("/v2/guild/settings/get"),
    calendars: await ask("/v2/calendar/list"),
    events: await ask("/v2/events/list/range", {
      calendar_number: 1,
      epoch_start: Date.UTC(2030, 0),
      epoch_end: Date.UTC(2030, 0, 30),
    }),
    announcements: await ask("/v1/announcement/list", { amount: -1 }),
  });
  const shortOf = (rows: readonly RowOutcome[]) =>
    rows.map(({ table, line, outcome, reason, changes = [] }) =>
      [table, line, outcome, reason, ...changes.map((change) => change.reason)]
        .filter((each) => each !== undefined)
        .join(" "),
    );

  test("creates nothing twice, posts nothing that DisCal has posted, and reports each row", async () => {
    // Both have the announcement an hour before: the first one was due half an hour ago, the second one is due in an hour.
    const at = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    const event = (uid: string, start: number) =>
      ["BEGIN:VEVENT", `UID:${uid}`, `DTSTART:${at(start)}`, "DURATION:PT1H", `SUMMARY:${uid}`, "END:VEVENT", ""].join(
        "\r\n",
      );
    const now = Math.ceil(Date.now() / 1_000) * 1_000;
    const file = join(folder, "calendars", `${guild_id}-1.ics`);
    const events = event("epast", now + HOUR / 2) + event("efuture", now + 2 * HOUR);
    await writeFile(file, (await readFile(file, "utf8")).replace("END:VCALENDAR", `${events}END:VCALENDAR`));

    const before = await state();
    const dry = await run({ isDryRun: true, report: "dry-run.jsonl" });
    expect(await state()).toEqual(before);
    const first = await run();
    expect(shortOf(first)).toEqual([
      "guild_settings 2 imported",
      "calendars 2 imported",
      "VEVENT 12 skipped RULE_NOT_SUPPORTED",
      "calendars 3 imported EVENTS_REPORTED",
      "events 1 imported",
      "events 2 skipped NO_IMAGE",
      "announcements 8 skipped NEVER_POSTED",
      "announcements 2 imported ALL_CALENDARS",
      "announcements 3 imported",
      "announcements 5 imported NOT_PUBLISHED",
      "announcements 6 imported",
      "announcements 7 skipped NO_EVENT",
    ]);
    // Without the limit of calendars, which is a setting, a dry run does not see the second calendar.
    expect(shortOf(dry).filter((line) => !/^(?:VEVENT|calendars 3|events)/.test(line))).toEqual(
      shortOf(first).filter((line) => !/^(?:VEVENT|calendars 3|events)/.test(line)),
    );

    const after = await state();
    expect(after.settings).toMatchObject({
      max_calendars: 2,
      twelve_hour: true,
      simple_announcements: true,
    });
    const listed = after.events["events"] as Record<string, unknown>[];
    expect(listed.map(({ name, image, epoch_start }) => [name, image, epoch_start])).toEqual([
      ["Raid night", "https://example.com/raid.png", Date.UTC(2030, 0, 6, 19)],
      ["Raid night, later", "https://example.com/raid.png", Date.UTC(2030, 0, 13, 20)],
      ["Raid night", "https://example.com/raid.png", Date.UTC(2030, 0, 20, 19)],
      ["Raid night", "https://example.com/raid.png", Date.UTC(2030, 0, 27, 19)],
    ]);
    const announced = after.announcements["announcements"] as Record<string, unknown>[];
    const third = announced.find(({ info }) => info === "The third raid");
    expect(third).toMatchObject({ type: "SPECIFIC", event_id: listed[2]?.["event_id"] });
    expect(announced.map(({ dangling }) => dangling)).toEqual(announced.map(() => undefined));

    // The post that is still due is planned; in the same plan the one that DisCal has posted would have been sent at once.
    const upcoming = async () =>
      ((await ask("/v1/announcement/upcoming"))["posts"] as Record<string, unknown>[]).map(({ due }) => due);
    await until(async () => (await upcoming()).includes(now + HOUR), "the post that is due");
    expect(await upcoming()).toEqual([now + HOUR]);
    expect(sink.received).toEqual([]);

    const again = await run();
    expect(again.filter(({ outcome }) => outcome === "imported")).toEqual([]);
    expect(await state()).toEqual(after);
    // The report is lost: the service recognizes the UIDs and the Idempotency-Keys.
    const lost = await run({ report: "another-report.jsonl" });
    const idsOf = (rows: readonly RowOutcome[]) => rows.map(({ id }) => id);
    expect(idsOf(lost)).toEqual(idsOf(first));
    expect((await state()).announcements).toEqual(after.announcements);
    expect((await state()).events).toEqual(after.events);
    expect(sink.received).toEqual([]);
  }, 120_000);
});
