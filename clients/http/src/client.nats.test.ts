import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { announcementsService } from "../../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../../services/calendar-events/calendar-events.service.ts";
import { listPostHistory } from "../../../services/contracts/dispatch.contract.ts";
import { refuse } from "../../../services/contracts/errors.ts";
import { guildSettingsService } from "../../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { guildcalClient, type GuildcalClient } from "./index.ts";

const GUILD = "375357265198317603";
const guild = { guild_id: GUILD } as const;
const event = { ...guild, calendar_number: 1, epoch_start: 1_893_783_600_000, epoch_end: 1_893_790_800_000 } as const;
const KEY = "operator-key-of-the-tests";

describe("the client of the HTTP API, with a gateway and its services", () => {
  let gateway: TestGateway;
  let client: GuildcalClient;
  /** Refuses the first attempts to read the history. */
  let refusals = 0;

  beforeAll(async () => {
    gateway = await startTestGateway(
      (mongoUrl) => [
        guildSettingsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        announcementsService({ mongoUrl }),
        standIn("webhooks"),
        standIn("dispatch", {
          ...serve(listPostHistory, async () => {
            refusals -= 1;
            return refusals < 0 ? [] : refuse("UNAVAILABLE");
          }),
        }),
      ],
      { apiKey: KEY },
    );
    await untilReady(gateway);
    client = guildcalClient({ baseUrl: gateway.baseUrl, key: KEY });
  });
  afterAll(() => gateway.stop());

  test("returns the id of a guild with every digit, although the response has it as an integer", async () => {
    const { text, body } = await gateway.post("/v2/guild/settings/get", guild);
    expect(text).toContain(`"guild_id":${GUILD},`);
    expect(String(body["guild_id"])).not.toBe(GUILD);
    const { data } = await client.request("/v2/guild/settings/get", { guild_id: BigInt(GUILD) });
    expect(data).toMatchObject({ guild_id: GUILD, max_calendars: 1 });
  });

  test("creates once with one Idempotency-Key, and returns warnings and errors of unknown ids", async () => {
    const options = { idempotencyKey: "raid-2030" };
    const first = await client.request("/v2/events/create", event, options);
    const again = await client.request("/v2/events/create", event, options);
    expect([again.data, again.etag]).toEqual([first.data, first.etag]);
    const others = await client.request("/v2/events/create", { ...event, name: "Other" });
    expect(others.data.id).not.toBe(first.data.id);
    const unknown = { ...event, event_id: "e0000000000000000000000000" };
    await expect(client.request("/v2/events/get", unknown)).rejects.toMatchObject({
      code: "EVENT_NOT_FOUND",
      status: 404,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    });
    const unfit = { ...event, color: "PINK", epoch_end: -1 } as never;
    await expect(client.request("/v2/events/create", unfit)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      errors: [
        { field: "epoch_end", code: "OUT_OF_RANGE" },
        { field: "color", code: "NOT_ALLOWED" },
      ],
    });
  });

  test("writes on condition of a revision, and is refused with another one", async () => {
    const { data, etag: before } = await client.request("/v2/events/create", event);
    const reference = { ...guild, calendar_number: 1, event_id: data.id };
    const { etag } = await client.request("/v2/events/update", { ...reference, name: "Raid" }, { ifMatch: before });
    const late = client.request("/v2/events/delete", reference, { ifMatch: before });
    await expect(late).rejects.toMatchObject({ code: "REVISION_MISMATCH", status: 412 });
    await client.request("/v2/events/delete", reference, { ifMatch: [before, etag] });
  });

  test("loses no change of eight clients that modify the same record concurrently", async () => {
    const other = { guild_id: "375357265198317604", calendar_number: 1 } as const;
    await client.request("/v2/calendar/update", { ...other, name: "c" });
    const letters = "ABCDEFGH".split("");
    await Promise.all(
      letters.map((letter) => client.modify("/v2/calendar", other, ({ name }) => ({ name: `${name}${letter}` }))),
    );
    const { data } = await client.request("/v2/calendar/get", other);
    expect(data.name.split("").toSorted().join("")).toBe("ABCDEFGHc");
  });

  test("waits for Retry-After, and repeats the request", async () => {
    refusals = 2;
    const { data } = await client.request("/v1/announcement/history", guild);
    expect([data, refusals]).toEqual([{ amount: 0, posts: [] }, -1]);
  });

  test("returns all keys, page after page", async () => {
    for (const label of ["one", "two", "three"]) {
      await client.request("/admin/keys/create", { kind: "guild", access: "read", guilds: [BigInt(GUILD)], label });
    }
    const labels: string[] = [];
    for await (const { keys } of client.pages("/admin/keys/list", { amount: 2 })) {
      expect(keys.length).toBeLessThanOrEqual(2);
      labels.push(...keys.map(({ label }) => label));
      expect(keys.every(({ guilds }) => guilds.every((id) => id === GUILD))).toBe(true);
    }
    expect(labels).toEqual(["three", "two", "one"]);
  });
});
