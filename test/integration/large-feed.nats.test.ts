import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { overrideDocumentOf } from "../../services/calendar-events/store/calendar-event.document.ts";
import { openFeed, readFeedPage } from "../../services/contracts/feeds.contract.ts";
import type { EventId, GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { openCalendar } from "../calendar/filled-calendar.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 1, 12);
const guildId = "375357265198317579" as GuildId;
const where = { guild_id: guildId, calendar_number: 1 };
const SINGLES = 6_000;
/** Numbers of cancelled and of changed occurrences that need more than one read of a series. */
const OVERRIDDEN = 1_200;

describe("a feed of many events", () => {
  let gateway: TestGateway;
  let path = "";
  let pagesRead = 0;
  let seriesId = "";

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      countingPages(calendarEventsService({ mongoUrl }), () => (pagesRead += 1)),
      standIn("announcements"),
      standIn("dispatch"),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    const daily = { recur: true, recurrence: { frequency: "DAILY" }, name: "Daily" };
    const series = await gateway.post("/v2/events/create", {
      ...where,
      epoch_start: BEGIN,
      epoch_end: BEGIN,
      ...daily,
    });
    seriesId = String(series.body["id"]);
    const calendar = await openCalendar(gateway.mongoUrl);
    const description = "So long a description that the feed has some megabytes. ".repeat(60);
    const singles = Array.from({ length: SINGLES }, (_, at) => ({
      startsAt: BEGIN + at * 3_600_000,
      endsAt: BEGIN + at * 3_600_000,
      name: `Event ${at}`,
      description,
    }));
    await calendar.fill(guildId, singles);
    const rows = Array.from({ length: OVERRIDDEN }, (_, at) => {
      const own = { eventId: seriesId as EventId, original: BEGIN + at * DAY, cancelled: at % 2 === 0, texts: {} };
      return overrideDocumentOf({ guildId, calendarNumber: 1 } as never, { ...own, ...(at % 2 && { color: "RED" }) });
    });
    const events = calendar.connection.collection("calendar_events");
    await events.insertMany(rows as never[]);
    await events.updateOne({ _id: seriesId as never }, { $set: { hasOverrides: true } });
    await calendar.connection.close();
    path = String((await gateway.post("/v2/calendar/feeds/create", where)).body["path"]);
  });
  afterAll(() => gateway.stop());

  test("contains each event once", async () => {
    const { text, status } = await gateway.request(path);
    expect(status).toBe(200);
    expect(text.endsWith("END:VEVENT\r\nEND:VCALENDAR\r\n")).toBe(true);
    const uids = [...text.matchAll(/^UID:(.*)\r$/gm)].map(([, uid]) => uid ?? "");
    const singles = uids.filter((uid) => uid !== seriesId);
    expect([singles.length, new Set(singles).size]).toEqual([SINGLES, SINGLES]);
    expect(text.match(/^RECURRENCE-ID/gm)).toHaveLength(OVERRIDDEN / 2);
    const exceptions = [...text.replaceAll("\r\n ", "").matchAll(/^EXDATE:(.*)\r$/gm)].flatMap(([, all]) =>
      all?.split(","),
    );
    expect([exceptions.length, new Set(exceptions).size]).toEqual([OVERRIDDEN / 2, OVERRIDDEN / 2]);
    expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(SINGLES + 1 + OVERRIDDEN / 2);
    expect(text.match(/^END:VEVENT/gm)).toHaveLength(SINGLES + 1 + OVERRIDDEN / 2);
  });

  test("is sent over the bus in pages far below the maximum response", async () => {
    const { cursor } = await gateway.call(openFeed, { guildId, calendarNumber: 1 });
    const lengths: number[] = [];
    for (let next = cursor; next !== undefined;) {
      const page = await gateway.call(readFeedPage, { guildId, calendarNumber: 1, cursor: next });
      lengths.push(page.text.length);
      next = page.next;
    }
    expect(lengths.length).toBeGreaterThan(30);
    expect(Math.max(...lengths)).toBeLessThan(200_000);
  });

  test("is read as fast as the client takes it, and shows the database at the start of the download", async () => {
    const before = pagesRead;
    const response = await begin(path);
    await untilItWaits(() => pagesRead);
    // The data in the buffers of the connection, and one page.
    const held = pagesRead - before;
    const late = await gateway.post("/v2/events/create", { ...where, epoch_start: 1, epoch_end: 2, name: "Too late" });
    expect(late.status).toBe(200);
    const text = await textOf(response);
    expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
    expect(text).not.toContain("Too late");
    const all = pagesRead - before;
    expect(held).toBeLessThan(all - 5);
    expect((await gateway.request(path)).text).toContain("Too late");
  });

  test("is not read to its end after the client has disconnected", async () => {
    const before = pagesRead;
    const response = await begin(path);
    await untilItWaits(() => pagesRead);
    response.destroy();
    await untilItWaits(() => pagesRead);
    const held = pagesRead - before;
    let pages = 0;
    // On a busy machine a page can be late, which breaks off a download.
    const isWhole = async () => {
      const from = pagesRead;
      const text = await gateway.request(path).then(
        (whole) => whole.text,
        () => "",
      );
      pages = pagesRead - from;
      return text.endsWith("END:VCALENDAR\r\n");
    };
    await until(isWhole, "a whole download");
    expect(held).toBeLessThan(pages - 5);
  });

  /** A response whose body is not read yet. */
  async function begin(url: string): Promise<IncomingMessage> {
    const [response] = (await once(get(gateway.baseUrl + url), "response")) as [IncomingMessage];
    return response;
  }
});

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk as string;
  return text;
}

/** Waits until a count stays the same for half a second. */
async function untilItWaits(count: () => number): Promise<void> {
  let before = -1;
  const isSame = () => {
    const same = count() === before;
    before = count();
    return same;
  };
  await until(isSame, "no further page is read", 30_000, 500);
}

/** The service, with a callback for each page that it reads. */
function countingPages(service: ReturnType<typeof calendarEventsService>, onPage: () => void): typeof service {
  const readPage = service.actions?.["readFeedPage"] as { handler: (context: never) => unknown };
  const handler = (context: never) => {
    onPage();
    return readPage.handler(context);
  };
  return {
    ...service,
    actions: { ...service.actions, readFeedPage: { ...readPage, handler } },
  } as unknown as typeof service;
}
