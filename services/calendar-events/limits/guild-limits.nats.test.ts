import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../../test/calendar/filled-calendar.ts";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../../test/harness/calendar-under-test.ts";
import type { GuildId } from "../../contracts/ids.ts";

const EVENTS_PER_GUILD = 200;

function daily(interval: number) {
  return { startsAt: noon, endsAt: noon + HOUR, recurs: true, recurrence: { frequency: "DAILY", interval } } as const;
}

describe("the limit of a guild's events", () => {
  let calendar: CalendarUnderTest;
  let past: FilledCalendar;
  beforeAll(async () => {
    calendar = await startCalendar(EVENTS_PER_GUILD);
    past = await openCalendar(calendar.services.mongoUrl);
  });
  afterAll(async () => {
    await past.connection.close();
    await calendar.services.stop();
  });

  /** Stores single events and series without the service, as an older version left them. */
  async function storeDirectly(guildId: GuildId, singles: number, series: number): Promise<void> {
    const events = Array.from({ length: singles }, () => ({ startsAt: noon, endsAt: noon + HOUR }));
    await past.fill(guildId, events);
    await past.fill(
      guildId,
      Array.from({ length: series }, (_, at) => daily(at + 1)),
    );
  }

  /** Number of fulfilled attempts, and the errors of the others. */
  async function outcomes(attempts: readonly Promise<unknown>[]) {
    const settled = await Promise.allSettled(attempts);
    const errors = settled.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as object] : []));
    return { stored: settled.length - errors.length, errors };
  }

  const tooMany = {
    type: "TOO_MANY_EVENTS",
    code: 409,
    message: `The guild has ${EVENTS_PER_GUILD} events and changed occurrences already`,
  };

  test("a guild never has more events than its limit, however many creates are concurrent; stored events count", async () => {
    const guildId = calendar.newGuild();
    await storeDirectly(guildId, EVENTS_PER_GUILD - 20, 10);
    const creates = Array.from({ length: 20 }, (_, at) => calendar.create(guildId, at % 2 === 0 ? {} : daily(1)));
    const { stored, errors } = await outcomes(creates);
    expect([stored, errors.length]).toEqual([10, 10]);
    for (const error of errors) expect(error).toMatchObject(tooMany);
    await expect(calendar.create(calendar.newGuild())).resolves.toHaveProperty("eventId");
  });

  test("a removed event frees a place, and an update of an event takes none", async () => {
    const guildId = calendar.newGuild();
    await storeDirectly(guildId, EVENTS_PER_GUILD - 2, 0);
    const { eventId } = await calendar.create(guildId, daily(1));
    await calendar.update(guildId, eventId, { name: "a name" });
    const [, second] = await calendar.list(guildId, noon + DAY, noon + 3 * DAY);
    await calendar.update(guildId, second?.eventId ?? "", { startsAt: noon + 40 * HOUR, endsAt: noon + 41 * HOUR });
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.remove(guildId, second?.eventId ?? "");
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.remove(guildId, eventId);
    // The series and its override counted as two.
    for (let at = 0; at < 2; at += 1) await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
  });

  test("a series that loses its overrides frees their places", async () => {
    const guildId = calendar.newGuild();
    await storeDirectly(guildId, EVENTS_PER_GUILD - 2, 0);
    const { eventId } = await calendar.create(guildId, daily(1));
    const [, second] = await calendar.list(guildId, noon + DAY, noon + 3 * DAY);
    await calendar.update(guildId, second?.eventId ?? "", { name: "a name" });
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.update(guildId, eventId, { startsAt: noon + HOUR, endsAt: noon + 2 * HOUR });
    await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
  });

  test("the first change of an occurrence takes a place, whatever is changed", async () => {
    const guildId = calendar.newGuild();
    await storeDirectly(guildId, EVENTS_PER_GUILD - 4, 0);
    const { eventId } = await calendar.create(guildId, daily(1));
    const occurrences = (await calendar.list(guildId, noon + DAY, noon + 7 * DAY)).map((each) => each.eventId);
    const named = (at: number) => occurrences[at] ?? "";
    await calendar.update(guildId, named(0), { name: "a name" });
    await calendar.remove(guildId, named(1));
    await calendar.update(guildId, named(2), { startsAt: noon + 9 * DAY, endsAt: noon + 9 * DAY + HOUR });
    await expect(calendar.update(guildId, named(3), { name: "a name" })).rejects.toMatchObject(tooMany);
    await expect(calendar.remove(guildId, named(3))).rejects.toMatchObject(tooMany);
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.update(guildId, named(0), { name: "another" });
    await calendar.update(guildId, eventId, { name: "the series" });
    expect((await calendar.list(guildId, noon + DAY, noon + 2 * DAY)).map(({ name }) => name)).toContain("another");
  });

  test("the series of a calendar may have any number of different rules and durations (D43)", async () => {
    const guildId = calendar.newGuild();
    const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
    const different = Array.from({ length: EVENTS_PER_GUILD }, (_, at) => {
      const recurrence = { frequency: frequencies[at % 4]!, interval: 1 + Math.floor(at / 4) };
      return { startsAt: noon, endsAt: noon + (at + 1) * HOUR, recurs: true, recurrence } as const;
    });
    const created = await Promise.all(different.map((event) => calendar.create(guildId, event)));
    const ids = new Set((await calendar.list(guildId, noon, noon + 1)).map(({ eventId }) => eventId.split("_", 1)[0]));
    expect(ids).toEqual(new Set(created.map(({ eventId }) => eventId)));
  });

  test("a refused create is not counted", async () => {
    const guildId = calendar.newGuild();
    await storeDirectly(guildId, EVENTS_PER_GUILD - 1, 1);
    for (let at = 0; at < 3; at += 1) await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    const [single] = await calendar.list(guildId, noon, noon + 1);
    await calendar.remove(guildId, single?.eventId ?? "");
    await expect(calendar.create(guildId)).resolves.toHaveProperty("eventId");
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
  });
});
