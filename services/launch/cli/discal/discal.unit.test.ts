import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { checkStopped } from "../import.ts";
import { calendarProperties, onlyEvents, withImages } from "./calendar-file.ts";
import { csvRows } from "./csv-rows.ts";
import { guildcalRequests } from "./guildcal-requests.ts";
import { openRecord } from "./import-record.ts";
import { surveyExport } from "./survey-export.ts";

async function* inPieces(text: string) {
  yield text;
}

describe("an export with a malformed table", () => {
  test("is refused before anything is imported", async () => {
    const texts = new Map([["announcements", "a,b\n1\n"]]);
    const folder = { rows: (table: string) => csvRows(inPieces(texts.get(table) ?? "guild_id\n7\n")) };
    await expect(surveyExport(folder, { isWanted: () => true, now: 0 })).rejects.toThrow("line 2");
  });
});

describe("the iCalendar file of a calendar", () => {
  const lines = [
    "BEGIN:VCALENDAR",
    "X-WR-CALNAME:Raids\\, and more",
    "X-WR-TIMEZONE:Europe/Berlin",
    "BEGIN:VEVENT",
    "UID:e1@goo",
    " gle.com",
    "BEGIN:VALARM",
    "UID:alarm",
    "END:VALARM",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "UID:e1@google.com",
    "RECURRENCE-ID:20300106T190000Z",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "UID:e2@google.com",
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  const text = lines.join("\r\n");

  test("gets the images of events, and the lines of the report stay those of the file", () => {
    const { body, lineInFile, idsByLine } = withImages(text, new Map([["e1", "https://example.com/a.png"]]));
    const expected = lines.toSpliced(4, 0, "IMAGE;VALUE=URI:https://example.com/a.png");
    expect(body).toBe(expected.join("\r\n"));
    expect([...idsByLine]).toEqual([
      [4, "e1"],
      [16, "e2"],
    ]);
    expect([4, 16].map(lineInFile)).toEqual([4, 15]);
  });

  test("is cut to the events of announcements", () => {
    const { body, idsByLine } = onlyEvents(text, new Set(["e2"]));
    expect(body).toBe([...lines.slice(0, 3), ...lines.slice(14)].join("\r\n"));
    expect([...idsByLine]).toEqual([[4, "e2"]]);
  });

  test("has the name and the time zone of its calendar", () => {
    expect(calendarProperties(text)).toEqual({ name: "Raids, and more", timezone: "Europe/Berlin" });
    expect(calendarProperties("BEGIN:VCALENDAR")).toEqual({});
  });
});

describe("the requests of an import", () => {
  const json =
    (status: number, body: object, headers: Record<string, string> = {}) =>
    () =>
      Promise.resolve(Response.json(body, { status, headers }));

  function requesting(...responses: (() => Promise<Response>)[]) {
    const waits: number[] = [];
    const sent: RequestInit[] = [];
    const requests = guildcalRequests({
      baseUrl: "http://guildcal",
      key: "key",
      wait: async (ms) => void waits.push(ms),
      send: (_url, init) => {
        sent.push(init ?? {});
        return (responses.shift() ?? json(200, {}))();
      },
    });
    return { requests, waits, sent };
  }

  test("wait as long as Retry-After says, and repeat the same request with the same Idempotency-Key", async () => {
    const { requests, waits, sent } = requesting(
      json(429, {}, { "retry-after": "7" }),
      json(503, {}, { "retry-after": "2" }),
    );
    expect(await requests.post("/v1/announcement/create", { a: 1 }, "name")).toEqual({ status: 200, body: {} });
    expect(waits).toEqual([7_000, 2_000]);
    expect(sent.map((init) => [init.body, new Headers(init.headers).get("idempotency-key")])).toEqual(
      Array.from({ length: 3 }, () => ['{"a":1}', "name"]),
    );
  });

  test("end with a reason when no response comes, when the wait is for people, and when the key is refused", async () => {
    const lost = () => Promise.reject<Response>(new Error("ECONNREFUSED"));
    const none = requesting(...Array.from({ length: 20 }, () => lost));
    await expect(none.requests.post("/", {})).rejects.toThrow("does not respond");
    expect(none.waits).toHaveLength(8);
    await expect(requesting(json(429, {}, { "retry-after": "86400" })).requests.post("/", {})).rejects.toThrow(
      "accepts further requests in 86400 seconds",
    );
    await expect(requesting(json(403, { message: "No such guild" })).requests.post("/", {})).rejects.toThrow(
      "refuses the key: No such guild",
    );
    const operator = requesting(json(403, { code: "OPERATOR_ONLY" }));
    expect(await operator.requests.post("/", {})).toMatchObject({ status: 403 });
  });

  test("send the same calendar until it is complete", async () => {
    const { requests, sent } = requesting(json(200, { complete: false }), json(200, { complete: true }));
    expect(await requests.importCalendar({ guild_id: "7" }, "BEGIN:VCALENDAR")).toMatchObject({
      body: { complete: true },
    });
    expect(sent).toHaveLength(2);
  });
});

describe("the report of an import", () => {
  test("is the record of the next run, also if a killed run has left half a line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "guildcal-report-"));
    const path = join(folder, "report.jsonl");
    const place = { table: "calendars", line: 2 };
    const first = await openRecord(path, false);
    await first.add({ ...place, row: "calendars 7 1", outcome: "imported", digest: "d" });
    await first.add({ ...place, row: "calendars 7 2", outcome: "skipped", reason: "NO_FILE" });
    expect([...first.counts()]).toEqual([
      ["calendars imported", 1],
      ["calendars skipped NO_FILE", 1],
    ]);
    await first.close();
    await appendFile(path, '{"row":"calendars 7 3","outcome":"impor');
    for (const run of [1, 2]) {
      const next = await openRecord(path, false);
      expect(next.isDone("settings 7")).toBe(run === 2);
      const done = [next.isDone("calendars 7 1", "d"), next.isDone("calendars 7 1", "e"), next.isDone("calendars 7 2")];
      expect([run, ...done, next.isDone("calendars 7 3")]).toEqual([run, true, false, false, false]);
      await next.add({ ...place, row: "settings 7", outcome: "imported" });
      await next.close();
    }
    await rm(folder, { recursive: true });
  });
});

describe("npm run import -- discal", () => {
  const stopped = Date.UTC(2026, 10, 25, 12);

  test("is refused without the time at which DisCal ended, and until all that it has posted early was due", () => {
    const at = new Date(stopped).toISOString();
    expect(() => checkStopped(undefined, stopped)).toThrow("Stop DisCal");
    expect(() => checkStopped(at, stopped - 1)).toThrow("in the future");
    expect(() => checkStopped(at, stopped + 299_999)).toThrow("2026-11-25T12:05:00.000Z");
    expect(() => checkStopped(at, stopped + 300_000)).not.toThrow();
  });
});
