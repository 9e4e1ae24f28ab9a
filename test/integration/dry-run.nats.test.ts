import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { everyOwner } from "../harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const HOUR = 3_600_000;
const guild_id = "375357265198317702";
const channel = "381142957109346304";
const calendar_number = 1;

type Fields = Record<string, unknown>;

describe("dry_run, over all services (D64)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  const send = (path: string, fields: Fields, headers?: Record<string, string>) =>
    gateway.post(path, { guild_id, ...fields }, headers);

  async function done(path: string, fields: Fields, headers?: Record<string, string>): Promise<Fields> {
    const { status, body } = await send(path, fields, headers);
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(fields)}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Everything that the guild has. */
  const stored = async () => (await done("/v2/changes", {}))["changes"];

  const ONE_POST = [expect.objectContaining({ text: expect.stringContaining("Raid"), channel })];
  const start = Math.ceil(Date.now() / HOUR) * HOUR + 30 * HOUR;
  const times = { epoch_start: start, epoch_end: start + HOUR };
  const event = { calendar_number, name: "Raid", ...times };
  const announcement = { channel, type: "UNIVERSAL", hours: 1, minutes: 0, info: "" };

  test("every write shows its posts, is refused as the write is, and stores nothing; then the write is performed", async () => {
    const event_id = String((await done("/v2/events/create", event))["id"]);
    const id = String((await done("/v1/announcement/create", announcement))["id"]);
    const before = await stored();
    const none = { "if-match": '"999"' };
    const writes: readonly (readonly [path: string, fields: Fields, effect: string, bad: Fields])[] = [
      ["/v2/events/create", event, "appear", { recur: true }],
      ["/v2/events/update", { calendar_number, event_id, epoch_end: start + 9 * HOUR }, "change", { color: "PINK" }],
      ["/v2/events/delete", { calendar_number, event_id }, "vanish", { event_id: "none" }],
      ["/v1/announcement/create", announcement, "appear", { type: "SPECIFIC", event_id: "none" }],
      ["/v1/announcement/update", { id, minutes: 30 }, "move", { id: "none" }],
      ["/v1/announcement/delete", { id }, "vanish", { id: "none" }],
      ["/v1/guild/settings/update", { lang: "SPANISH" }, "change", { max_calendars: 0 }],
      ["/v2/guild/settings/update", { twelve_hour: false }, "change", { prefix: " " }],
      ["/v2/calendar/update", { calendar_number, name: "Raids" }, "", { timezone: "Mars" }],
    ];
    for (const [path, fields, effect, bad] of writes) {
      const diff = await done(path, { ...fields, dry_run: true });
      expect([path, diff[effect], diff["posts"]]).toEqual([
        path,
        effect === "" ? undefined : 1,
        effect === "" ? [] : ONE_POST,
      ]);
      const [dry, real] = [
        await send(path, { ...fields, ...bad, dry_run: true }),
        await send(path, { ...fields, ...bad }),
      ];
      expect(dry.status).toBeGreaterThanOrEqual(400);
      const withoutId = ({ status, body: { request_id: _, ...body } }: typeof dry) => ({ path, status, body });
      expect(withoutId(dry)).toEqual(withoutId(real));
      if (path.endsWith("/create")) continue;
      expect(withoutId(await send(path, { ...fields, dry_run: true }, none))).toMatchObject({ status: 412 });
    }
    expect(await stored()).toEqual(before);

    const name = { "idempotency-key": "dry" };
    await done("/v2/events/create", { ...event, name: "Dry", dry_run: true }, name);
    const created = await done("/v2/events/create", event, name);
    expect(await done("/v2/events/create", event, name)).toEqual(created);
  });
});
