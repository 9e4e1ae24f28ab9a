import { setTimeout as pause } from "node:timers/promises";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../../moleculer.config.ts";
import { callAction } from "../../../../mixins/actions/typed-calls.ts";
import { createAnnouncement } from "../../../../services/contracts/announcements.contract.ts";
import { createEvent } from "../../../../services/contracts/calendar-events.contract.ts";
import type { DraftChange } from "../../../../services/contracts/draft-changes.contract.ts";
import { updateGuildSettings } from "../../../../services/contracts/guild-settings.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { diffPlan } from "../../../../services/contracts/plan-diff.contract.ts";
import { everyOwner } from "../../../harness/every-owner.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import type { NewEvent } from "../../../calendar/many-events.ts";
import { median } from "../requests/figures.ts";
import type { Section } from "../table/section.ts";
import { medianRow, type TableRow } from "../table/table-row.ts";

const NAME = "drafts";
const GUILD = "1" as GuildId;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EVENTS = 1_000;
const ANNOUNCEMENTS = 2;
/** Diffs in a round. */
const DIFFS = 10;
/** Pause after a diff as a multiple of its time. A replica pauses three times as long; a diff that comes earlier waits for its turn. */
const PAUSE_FACTOR = 3.5;
const MAX_MS = 200;

/** Number of the calendar of holidays, on which one announcement skips (D66). */
const HOLIDAYS = 2;

const START = Math.ceil(Date.now() / DAY) * DAY + 5 * DAY;

/** A thousand events of the next year, of which thirty are weekly series. */
function yearOfEvents(): NewEvent[] {
  return Array.from({ length: EVENTS }, (_, at) => {
    const startsAt = START + at * 8 * HOUR;
    const event = { startsAt, endsAt: startsAt + HOUR, name: `Event ${at}`, description: "Bring potions" };
    const weekly = { recurs: true, recurrence: { frequency: "WEEKLY", count: -1 } } as const;
    return at % 33 === 0 ? { ...event, ...weekly } : event;
  });
}

/** A date, in days after the first event. */
const dateAt = (days: number) => new Date(START + days * DAY).toISOString().slice(0, 10);

/** A day in each week of the year. */
const holidays = Array.from({ length: 52 }, (_, week) => ({
  calendarNumber: HOLIDAYS,
  allDay: true,
  startDate: dateAt(week * 7 + 3),
  name: `Holiday ${week}`,
}));

const rule = { channel: "77", type: "UNIVERSAL", hours: 1, minutes: 0, info: "Bring potions" } as const;
const calendarNumber = 1;

/** What each row changes. */
const CHANGES: Readonly<Record<string, readonly DraftChange[]>> = {
  "an event": [{ action: "CREATE_EVENT", calendarNumber, startsAt: START + HOUR, endsAt: START + 2 * HOUR }],
  "a series": [
    {
      action: "CREATE_EVENT",
      calendarNumber,
      startsAt: START,
      endsAt: START + HOUR,
      recurs: true,
      recurrence: { frequency: "DAILY" },
    },
  ],
  "an announcement of every event": [{ action: "CREATE_ANNOUNCEMENT", ...rule, hours: 2 }],
  "the settings": [{ action: "UPDATE_SETTINGS", lang: "SPANISH" }],
  "the time zone": [{ action: "UPDATE_CALENDAR", calendarNumber, timezone: "Europe/Berlin" }],
  "a pause of the guild": [{ action: "UPDATE_SETTINGS", pausedUntil: START + 180 * DAY }],
  "a pause of the calendar": [{ action: "UPDATE_CALENDAR", calendarNumber, pausedUntil: START + 180 * DAY }],
  "a holiday": [
    { action: "CREATE_EVENT", calendarNumber: HOLIDAYS, allDay: true, startDate: dateAt(20), name: "Feast" },
  ],
  "50 events": Array.from({ length: 50 }, (_, at) => ({
    action: "CREATE_EVENT",
    calendarNumber,
    startsAt: START + at * HOUR,
    endsAt: START + (at + 1) * HOUR,
  })),
};

/** The diffs of a guild with a thousand events (D58), of which an announcement skips those on 52 holidays. */
export const PLAN_DIFFS: Section = {
  name: NAME,
  heading: "drafts",
  rowNames: Object.keys(CHANGES),
  hasServerCpu: false,

  async measure({ given: { mongoUrl }, pace: { rounds }, isChosen }) {
    const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.1", natsUrl: undefined, logLevel: "error" }));
    try {
      const calendar = await openCalendar(mongoUrl);
      await calendar.fill(GUILD, yearOfEvents());
      await calendar.connection.close();
      for (const service of everyOwner(mongoUrl)) broker.createService(service);
      await broker.start();
      await callAction(broker, updateGuildSettings, { guildId: GUILD, maxCalendars: HOLIDAYS });
      for (const holiday of holidays) await callAction(broker, createEvent, { guildId: GUILD, ...holiday });
      for (let at = 0; at < ANNOUNCEMENTS; at += 1) {
        const skips = at === 0 ? {} : { skipOn: HOLIDAYS };
        await callAction(broker, createAnnouncement, { guildId: GUILD, ...rule, ...skips, minutes: at });
      }
      const rows: TableRow[] = [];
      for (const [name, changes] of Object.entries(CHANGES)) {
        if (isChosen(name)) rows.push(await measureDiffs(broker, name, changes, rounds));
      }
      return { rows, figures: rows };
    } finally {
      await broker.stop();
    }
  },
};

async function measureDiffs(broker: ServiceBroker, name: string, changes: readonly DraftChange[], rounds: number) {
  const medians: number[] = [];
  let differences = 0;
  // A round before the first is not counted: V8 compiles during it.
  for (let round = -1; round < rounds; round += 1) {
    const took: number[] = [];
    for (let at = 0; at < DIFFS; at += 1) {
      const start = performance.now();
      const { appear, vanish, move, change } = await callAction(broker, diffPlan, { guildId: GUILD, changes });
      const ms = performance.now() - start;
      took.push(ms);
      await pause(ms * PAUSE_FACTOR);
      differences = appear + vanish + move + change;
    }
    if (differences === 0) throw new Error(`${name}: no post differs`);
    if (round >= 0) medians.push(median(took));
  }
  return medianRow({
    row: `${NAME}: ${name}, ${differences} posts differ`,
    figure: `time of a diff with ${EVENTS} events`,
    unit: " ms",
    bound: { most: MAX_MS },
    rounds: medians,
    detail: `${DIFFS} diffs in a round, with pauses`,
  });
}
