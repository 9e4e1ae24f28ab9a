import { beforeEach, describe, expect, test } from "@jest/globals";
import { asError } from "../../mixins/actions/contract-action.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { postRequest, responsesOf } from "../../test/harness/web-service.ts";
import type { CallMeta, Caller } from "../contracts/contract.ts";
import { type DraftAction, DRAFTED_WRITES } from "../contracts/draft-changes.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import { requestHandler } from "./request-handler.ts";
import { ROUTES } from "./route-table.ts";

const NO_POSTS = { appear: 12, vanish: 0, move: 1, change: 0, more: true, comparedUntil: 9_000, posts: [] };
const writer: Caller = { keyId: "k", kind: "guild", access: "write", guilds: ["1"] };
const event = { guild_id: "1", calendar_number: 1, epoch_start: 1_893_783_600_000, epoch_end: 1_893_783_600_000 };
const update = { ...event, event_id: "e7d4gbk2nq0sv51mhj8t3ofr6p" };

interface Called {
  readonly action: string;
  readonly params: unknown;
  readonly meta: CallMeta;
}

describe("a write with dry_run (D64)", () => {
  let calls: Called[];
  let records: string[];
  let result: unknown;
  let caller: Caller;

  beforeEach(() => {
    [calls, records, result, caller] = [[], [], NO_POSTS, writer];
  });

  async function send(path: string, body: object, headers: Record<string, string> = {}) {
    const admitted = { caller, standings: [] };
    const handler = requestHandler({
      knownPaths: [],
      runIdempotently: (request, perform) => (records.push(request.idempotencyKey), perform(newWriteId())),
      admission: { admit: async () => admitted, admitToGuild: () => admitted },
      clock: { now: () => 0 },
      call: async ({ contract }, params, meta) => {
        calls.push({ action: contract.name, params, meta });
        if (result instanceof Error) throw result;
        return result;
      },
      onDefect: (error) => {
        throw error;
      },
    });
    const request = postRequest(path, body);
    Object.assign(request.headers, headers);
    const response = await responsesOf(handler)(request, "id-1");
    const { status, headers: sent, body: text } = response;
    return { status, headers: sent, body: JSON.parse(text as string) as Record<string, unknown> };
  }

  const refusedWith = async (refusal: Refusal) => {
    result = asError(refusal);
    return (await send("/v2/events/update", { ...update, dry_run: true })).body;
  };

  test("is a comparison of plans with this one change, without the id of a write, and responds with the posts", async () => {
    const { status, body, headers } = await send("/v2/events/create", {
      ...event,
      name: "Raid",
      dry_run: true,
      nme: 1,
    });
    const { guild_id: _, ...times } = event;
    expect([status, body]).toEqual([
      200,
      {
        appear: 12,
        vanish: 0,
        move: 1,
        change: 0,
        more: true,
        compared_until: 9_000,
        posts: [],
        warnings: [expect.objectContaining({ field: "nme" })],
      },
    ]);
    expect(headers).not.toHaveProperty("etag");
    expect(calls).toEqual([
      {
        action: "dispatch.diffPlan",
        params: {
          guildId: "1",
          changes: [
            {
              action: "CREATE_EVENT",
              calendarNumber: times.calendar_number,
              startsAt: times.epoch_start,
              endsAt: times.epoch_end,
              name: "Raid",
            },
          ],
        },
        meta: expect.not.objectContaining({ writeId: expect.anything() }),
      },
    ]);
  });

  test.each([[{}], [{ dry_run: false }], [{ dry_run: null }]])("is performed with %j", async (field) => {
    result = { eventId: "e1", revision: 1 };
    const { body } = await send("/v2/events/create", { ...event, ...field });
    expect(body).toEqual({ message: "Event created", id: "e1" });
    expect(calls).toMatchObject([{ action: "calendar-events.create", meta: { writeId: expect.any(String) } }]);
    expect(calls[0]?.params).not.toHaveProperty("dryRun");
  });

  test("is refused with 400 that names dry_run for any value but true and false, and nothing is called", async () => {
    for (const value of ["true", 1, {}, []]) {
      const { status, body } = await send("/v2/events/create", { ...event, dry_run: value });
      expect([status, body["errors"]]).toEqual([400, [expect.objectContaining({ field: "dry_run" })]]);
    }
    expect(calls).toEqual([]);
  });

  test("needs a key that may write", async () => {
    caller = { ...writer, access: "read" };
    const { status } = await send("/v2/events/create", { ...event, dry_run: true });
    expect([status, calls]).toEqual([403, []]);
  });

  test("leaves no record of its Idempotency-Key, and a malformed one is refused", async () => {
    const body = { ...event, dry_run: true };
    expect((await send("/v2/events/create", body, { "idempotency-key": "n" })).status).toBe(200);
    expect(records).toEqual([]);
    expect((await send("/v2/events/create", body, { "idempotency-key": "ü" })).status).toBe(400);
  });

  test("compares the revision of If-Match", async () => {
    await send("/v2/events/update", { ...update, dry_run: true }, { "if-match": '"7"' });
    expect(calls[0]?.params).toMatchObject({ changes: [{ action: "UPDATE_EVENT", ifRevision: ["7"] }] });
  });

  test("is refused with the text and the fields of the write, without the index of a change", async () => {
    const problem = {
      field: "changes[0].recurrence.byDay[1]",
      code: "MALFORMED",
      message: "must be a weekday",
    } as const;
    expect(await refusedWith(refuse("INVALID_REQUEST", [problem], "changes[0]: Bad request"))).toMatchObject({
      message: "Bad request: recurrence.by_day[1] must be a weekday",
      errors: [{ field: "recurrence.by_day[1]", code: "MALFORMED", message: "must be a weekday" }],
    });
    expect(await refusedWith(refuse("EVENT_NOT_FOUND", undefined, "changes[0]: Event not found"))).toMatchObject({
      message: "Event not found",
    });
    const tooMany = { field: "changes", code: "TOO_MANY", message: "must affect fewer occurrences" } as const;
    expect(await refusedWith(refuse("TOO_MANY_ENTRIES", [tooMany]))).toMatchObject({ errors: [{ field: "dry_run" }] });
  });

  test("exists for every endpoint whose write can be a draft, with the fields of this write", () => {
    const drafted = new Set<unknown>(Object.values(DRAFTED_WRITES));
    const writes = ROUTES.filter(({ contract }) => drafted.has(contract));
    expect(new Set(writes.map(({ contract }) => contract)).size).toBe(drafted.size);
    expect(ROUTES.filter(({ dryRun }) => dryRun !== undefined)).toEqual(writes);
    for (const { contract, dryRun, example } of writes) {
      const decoded = dryRun!.decode({ ...example.request, dry_run: true });
      expect(dryRun!.check(decoded)).toEqual([]);
      const { changes } = dryRun!.toParams(decoded) as {
        readonly changes: readonly { readonly action: DraftAction }[];
      };
      expect(changes.map(({ action }) => DRAFTED_WRITES[action])).toEqual([contract]);
    }
  });
});
