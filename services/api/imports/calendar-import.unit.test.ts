import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, jest, test } from "@jest/globals";
import type { ImportedOutcome, ImportEventsParams, ImportEventsResult } from "../../contracts/event-import.contract.ts";
import { asError } from "../../../mixins/actions/contract-action.ts";
import { refuse } from "../../contracts/errors.ts";
import { RequestConcurrency } from "../concurrency/request-concurrency.ts";
import type { Allowed } from "../rates/admission.ts";
import type { RequestRefused } from "../request-handler.ts";
import { type CalendarImport, calendarImport, IMPORT_PATH } from "./calendar-import.ts";
import type { ImportResponse } from "./import-report.ts";
import { ImportSlots } from "./import-slots.ts";

const CREATED: ImportedOutcome = { outcome: "created" };

function vevents(count: number, lines = ""): string {
  const all = Array.from({ length: count }, (_, at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${lines}END:VEVENT\r\n`);
  return `BEGIN:VCALENDAR\r\n${all.join("")}END:VCALENDAR\r\n`;
}

interface Setup {
  readonly call: (params: ImportEventsParams) => Promise<ImportEventsResult>;
  readonly slots?: ImportSlots;
  readonly monotonic?: () => number;
  readonly rejections?: number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  readonly clock?: { readonly now: () => number };
}

/** Imports a body with a key of all guilds. */
function importing({ call, slots = new ImportSlots(), monotonic = () => 0, rejections = 0, ...more }: Setup) {
  const allowed: Allowed = {
    caller: { keyId: "key", kind: "operator", access: "write", guilds: [] },
    standings: [],
  };
  let taken = 0;
  const handler: CalendarImport = calendarImport({
    admission: {
      admit: async () => allowed,
      admitToGuild: () => {
        taken += 1;
        const isOver = taken > 1 && taken <= 1 + rejections;
        return isOver ? { refusal: refuse("TOO_MANY_REQUESTS"), headers: { "retry-after": "0.01" } } : allowed;
      },
    },
    concurrency: new RequestConcurrency(),
    clock: { now: () => 0 },
    call,
    slots,
    monotonic,
    ...more,
  });
  const send = async (body: string, guild = "1", query = "") => {
    const message = {
      url: `${IMPORT_PATH}?guild_id=${guild}&calendar_number=1${query}`,
      headers: { "content-type": "text/calendar" },
      complete: true,
      socket: { destroyed: false },
    };
    const request = Object.assign(Readable.from([Buffer.from(body)]), message) as unknown as IncomingMessage;
    const { body: response } = await handler(request, "request");
    return JSON.parse(response as string) as ImportResponse;
  };
  return { send, requests: () => taken };
}

const allCreated = async ({ events }: ImportEventsParams) => ({ outcomes: events.map(() => CREATED) });

describe("an import", () => {
  test("is sent in calls of a bounded size, of which only the last one ends it", async () => {
    const call = jest.fn(allCreated);
    const { send } = importing({ call });
    expect(await send(vevents(250))).toMatchObject({ created: 250, complete: true });
    const sent = call.mock.calls.map(([{ events, isLast }]) => [events.length, isLast]);
    expect(sent).toEqual([
      [100, false],
      [100, false],
      [50, true],
    ]);
    call.mockClear();
    await send(vevents(30, `DESCRIPTION:${"x".repeat(8_000)}\r\n`));
    const sizes = call.mock.calls.map(([{ events }]) => events.join("").length);
    expect(Math.max(...sizes)).toBeLessThan(57_344);
    expect(call.mock.calls.flatMap(([{ events }]) => events)).toHaveLength(30);
  });

  test("sends again what a call could not complete in its time", async () => {
    const call = jest.fn(async ({ events }: ImportEventsParams) => ({
      outcomes: events.map((_, at) => (at % 3 === 0 ? CREATED : null)),
    }));
    const report = await importing({ call }).send(vevents(9));
    expect(report).toMatchObject({ created: 9, complete: true });
    const uids = call.mock.calls.map(([{ events }]) => events.map((text) => text.replace("UID:", "")).join());
    expect(uids[1]).toBe("1,2,4,5,7,8");
  });

  test("that makes no progress, or takes too long, ends incomplete, and lets the next one begin", async () => {
    const call = jest.fn(async ({ events }: ImportEventsParams) => ({ outcomes: events.map(() => null) }));
    expect(await importing({ call }).send(vevents(2))).toMatchObject({ created: 0, complete: false });
    expect(call.mock.calls.map(([{ events, isLast }]) => [events.length, isLast])).toEqual([
      [2, true],
      [2, true],
      [2, true],
      [0, true],
    ]);
    let now = 0;
    const slow = jest.fn(async (params: ImportEventsParams) => {
      now += 20_000;
      return allCreated(params);
    });
    const report = await importing({ call: slow, monotonic: () => now }).send(vevents(500));
    expect(report).toMatchObject({ created: 300, complete: false });
    expect(slow.mock.calls.at(-1)![0]).toMatchObject({ events: [], isLast: true });
  });

  test("counts each call as a request of its guild, and waits where the limit is reached", async () => {
    const { send, requests } = importing({ call: allCreated, rejections: 2 });
    expect(await send(vevents(150))).toMatchObject({ created: 150, complete: true });
    // One for the request, one for each of two calls, and two that had to wait.
    expect(requests()).toBe(5);
  });

  test("that the owner refuses, or that no owner can perform, gets the error", async () => {
    const refused = async () => Promise.reject(asError(refuse("CALENDAR_NOT_FOUND")));
    await expect(importing({ call: refused }).send(vevents(1))).rejects.toMatchObject({
      refusal: { refusal: "CALENDAR_NOT_FOUND" },
    });
  });

  test("repeats a call of unknown outcome once, after the end of its writes", async () => {
    const steps: string[] = [];
    const pause = async (milliseconds: number) => steps.push(`waits ${milliseconds}`);
    const call = async (params: ImportEventsParams) => {
      steps.push(`sends ${params.events.length}`);
      if (steps.length === 1) throw asError(refuse("OUTCOME_UNKNOWN"));
      return allCreated(params);
    };
    expect(await importing({ call, pause }).send(vevents(150))).toMatchObject({ created: 150, complete: true });
    expect(steps).toEqual(["sends 100", "waits 5500", "sends 100", "sends 50"]);
    const lost = jest.fn(async () => Promise.reject(asError(refuse("OUTCOME_UNKNOWN"))));
    const refusal = { refusal: { refusal: "OUTCOME_UNKNOWN" } };
    await expect(importing({ call: lost, pause }).send(vevents(1))).rejects.toMatchObject(refusal);
    expect(lost).toHaveBeenCalledTimes(2);
  });

  test.each(["UNAVAILABLE", "TOO_MANY_REQUESTS", "CALENDAR_FOLLOWED"] as const)(
    "that gets %s after it has stored events ends incomplete, and lets the next one begin",
    async (reason) => {
      const call = jest.fn(allCreated);
      call.mockImplementationOnce(allCreated).mockRejectedValueOnce(asError(refuse(reason)));
      const { send } = importing({ call });
      expect(await send(vevents(150))).toMatchObject({
        created: 100,
        complete: false,
        message: `The import is not complete because a part of it got ${reason}: send the same body again`,
      });
      expect(call.mock.calls.map(([{ events, isLast }]) => [events.length, isLast])).toEqual([
        [100, false],
        [50, true],
        [0, true],
      ]);
      call.mockClear();
      call.mockImplementationOnce(allCreated).mockRejectedValueOnce(asError(refuse(reason)));
      // A dry run has stored nothing.
      const refused = { refusal: { refusal: reason } };
      await expect(send(vevents(150), "1", "&dry_run=true")).rejects.toMatchObject(refused);
    },
  );

  test("does not end its lease after a call of unknown outcome, which may still write", async () => {
    const unknown = asError(refuse("OUTCOME_UNKNOWN"));
    const call = jest.fn(allCreated);
    call.mockImplementationOnce(allCreated).mockRejectedValueOnce(unknown).mockRejectedValueOnce(unknown);
    expect(await importing({ call, pause: async () => undefined }).send(vevents(150))).toMatchObject({
      created: 100,
      complete: false,
      message: expect.stringContaining("OUTCOME_UNKNOWN"),
    });
    expect(call.mock.calls.map(([{ events }]) => events.length)).toEqual([100, 50, 50]);
  });

  test("has an unknown outcome if an attempt of it has one, whatever refuses the next attempt", async () => {
    const [unknown, unavailable] = [asError(refuse("OUTCOME_UNKNOWN")), asError(refuse("UNAVAILABLE"))];
    const errorOf = async (query: string, ...errors: readonly Error[]) => {
      const call = jest.fn(allCreated);
      for (const error of errors) call.mockRejectedValueOnce(error);
      let now = 0;
      const advance = async (milliseconds: number) => (now += milliseconds);
      const { send } = importing({ call, pause: advance, clock: { now: () => now } });
      const error: unknown = await send(vevents(1), "1", query).catch((thrown: unknown) => thrown);
      const { refusal, headers } = error as RequestRefused;
      return [refusal.refusal, headers["retry-after"]];
    };
    expect(await errorOf("", unknown, unavailable)).toEqual(["OUTCOME_UNKNOWN", "1"]);
    expect(await errorOf("", unknown, unknown)).toEqual(["OUTCOME_UNKNOWN", "6"]);
    expect(await errorOf("", unavailable)).toEqual(["UNAVAILABLE", undefined]);
    expect(await errorOf("&dry_run=true", unknown, unavailable)).toEqual(["UNAVAILABLE", undefined]);
  });

  test("foresees in a dry run what the limit of the guild would skip, over all calls", async () => {
    const call = async (params: ImportEventsParams) => ({ ...(await allCreated(params)), room: 130 });
    const report = await importing({ call }).send(vevents(250), "1", "&dry_run=true");
    expect(report).toMatchObject({
      created: 130,
      skipped: 120,
      reasons: [{ reason: "TOO_MANY_EVENTS", count: 120 }],
    });
  });

  test("of a guild, and of a key, waits for the one before it", async () => {
    const slots = new ImportSlots();
    const running = { now: 0, most: 0 };
    const pending: (() => void)[] = [];
    const call = async (params: ImportEventsParams) => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await new Promise<void>((resolve) => pending.push(resolve));
      running.now -= 1;
      return allCreated(params);
    };
    const { send } = importing({ call, slots });
    const all = Promise.all([send(vevents(1), "1"), send(vevents(1), "1"), send(vevents(1), "2")]);
    for (let ended = 0; ended < 3;) {
      await new Promise((turn) => setImmediate(turn));
      const end = pending.shift();
      if (end === undefined) continue;
      end();
      ended += 1;
    }
    await all;
    expect(running.most).toBe(1);
  });
});
