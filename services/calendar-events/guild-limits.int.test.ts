import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../test/calendar/filled-calendar.ts";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../test/real-parts/calendar-under-test.ts";
import type { GuildId } from "../contracts/ids.ts";
import { MOST_KINDS } from "./domain/lanes.ts";

const MOST = 150;

/** A series of a kind that has its interval alone. */
function daily(interval: number) {
  return { startsAt: noon, endsAt: noon + HOUR, recurs: true, recurrence: { frequency: "DAILY", interval } } as const;
}

describe("what a guild may hold", () => {
  let calendar: CalendarUnderTest;
  let past: FilledCalendar;
  beforeAll(async () => {
    calendar = await startCalendar(MOST);
    past = await openCalendar(calendar.services.mongoUrl);
  });
  afterAll(async () => {
    await past.connection.close();
    await calendar.services.stop();
  });

  /** Gives a guild single events and series past the service, as an older version of it has left them. */
  async function filled(guildId: GuildId, singles: number, kinds: number): Promise<void> {
    const events = Array.from({ length: singles }, () => ({ startsAt: noon, endsAt: noon + HOUR }));
    await past.fill(guildId, events);
    await past.fill(
      guildId,
      Array.from({ length: kinds }, (_, at) => daily(at + 1)),
    );
  }

  /** How many of them were done, and the errors of the others. */
  async function outcomes(attempts: readonly Promise<unknown>[]) {
    const settled = await Promise.allSettled(attempts);
    const errors = settled.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as object] : []));
    return { done: settled.length - errors.length, errors };
  }

  const tooMany = { type: "TOO_MANY_EVENTS", code: 409, message: `The guild has ${MOST} events already` };
  const tooManyKinds = { type: "TOO_MANY_KINDS", code: 409 };

  test("it never has more events than it may, however many are asked for at once; what it had before counts", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, MOST - 20, 10);
    const asked = Array.from({ length: 20 }, (_, at) => calendar.create(guildId, at % 2 === 0 ? {} : daily(1)));
    const { done, errors } = await outcomes(asked);
    expect([done, errors.length]).toEqual([10, 10]);
    for (const error of errors) expect(error).toMatchObject(tooMany);
    await expect(calendar.create(calendar.newGuild())).resolves.toHaveProperty("eventId");
  });

  test("one that is removed makes room for one, and a change of what is there takes none", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, MOST - 1, 0);
    const { eventId } = await calendar.create(guildId, daily(1));
    await calendar.update(guildId, eventId, { name: "a name" });
    const [, second] = await calendar.list(guildId, noon + DAY, noon + 3 * DAY);
    await calendar.update(guildId, second?.eventId ?? "", { startsAt: noon + 40 * HOUR, endsAt: noon + 41 * HOUR });
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.remove(guildId, second?.eventId ?? "");
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
    await calendar.remove(guildId, eventId);
    await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
  });

  test("a calendar never has series of more kinds than it may, however many are asked for at once", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, 1, MOST_KINDS - 2);
    const asked = Array.from({ length: 5 }, (_, at) => calendar.create(guildId, daily(500 + at)));
    const { done, errors } = await outcomes(asked);
    expect([done, errors.length]).toEqual([2, 3]);
    for (const error of errors) expect(error).toMatchObject(tooManyKinds);
    await expect(calendar.create(guildId, daily(7))).resolves.toHaveProperty("eventId");
    await expect(calendar.create(guildId)).resolves.toHaveProperty("eventId");
  });

  test("nor by an update; a kind whose last series is removed makes room for one", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, 1, MOST_KINDS - 1);
    const { eventId } = await calendar.create(guildId, daily(500));
    const [single] = await calendar.list(guildId, noon, noon + 1).then((all) => all.filter(({ recurs }) => !recurs));
    const { recurrence } = daily(501);
    const toKind = () => calendar.update(guildId, single?.eventId ?? "", { recurs: true, recurrence });
    await expect(toKind()).rejects.toMatchObject(tooManyKinds);
    await calendar.update(guildId, eventId, { recurs: true, recurrence: { frequency: "DAILY", interval: 2 } });
    await toKind();
    await expect(calendar.create(guildId, daily(502))).rejects.toMatchObject(tooManyKinds);
  });

  test("updates at once are no way around it", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, 6, MOST_KINDS - 1);
    const singles = (await calendar.list(guildId, noon, noon + 1)).filter(({ recurs }) => !recurs);
    const toKinds = singles.map(({ eventId }, at) =>
      calendar.update(guildId, eventId, { recurs: true, recurrence: daily(500 + at).recurrence }),
    );
    const { done, errors } = await outcomes(toKinds);
    expect([done, errors.length]).toEqual([1, 5]);
    for (const error of errors) expect(error).toMatchObject(tooManyKinds);
  });

  test("a refused create is not counted", async () => {
    const guildId = calendar.newGuild();
    await filled(guildId, 0, MOST_KINDS);
    for (let at = 0; at < 3; at += 1) {
      await expect(calendar.create(guildId, daily(600))).rejects.toMatchObject(tooManyKinds);
    }
    for (let room = MOST - MOST_KINDS; room > 0; room -= 1) await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject(tooMany);
  });
});
