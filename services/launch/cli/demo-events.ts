type Json = Record<string, unknown>;
/** Sends a request for the guild; rejects if it is refused. */
export type Post = (path: string, body: Json) => Promise<Json>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const RAIDS = 1;
export const COMMUNITY = 2;
export const HOLIDAYS = 3;

/** Colors whose events have an announcement. */
export const TOURNAMENT = "TANGERINE";
export const DUNGEON = "RIPTIDE";
export const MOVIE = "MELROSE";

/** An event. It starts `day` days and `hour` hours after today's midnight in UTC, the zone of a new calendar. */
interface DemoEvent {
  readonly name: string;
  readonly calendar: number;
  readonly day: number;
  readonly hour: number;
  readonly hours: number;
  readonly color: string;
  /** Weeks from one occurrence to the next; undefined for a single event. */
  readonly everyWeeks?: number;
  /** The day until which its posts are paused. */
  readonly pausedUntilDay?: number;
  readonly texts?: { readonly location?: string; readonly description?: string };
}

/** Events that exist before the announcements, by the names that announcements refer to. */
const EVENTS: readonly DemoEvent[] = [
  {
    name: "Raid night",
    calendar: RAIDS,
    day: -41,
    hour: 19,
    hours: 3,
    color: "TURQUOISE",
    everyWeeks: 1,
    texts: { location: "Molten Core", description: "First pull at **nine sharp**." },
  },
  {
    name: "Training for newcomers",
    calendar: RAIDS,
    day: -38,
    hour: 18,
    hours: 1,
    color: "GREEN",
    everyWeeks: 1,
    texts: { location: "Training grounds", description: "Bring your questions." },
  },
  { name: "Council", calendar: RAIDS, day: -48, hour: 20, hours: 1, color: "RED", everyWeeks: 4 },
  {
    name: "Guild anniversary",
    calendar: RAIDS,
    day: 6,
    hour: 17,
    hours: 5,
    color: "MAUVE",
    texts: { location: "Guild hall", description: "Cake, fireworks and the **photo of the year**." },
  },
  {
    name: "Open stage",
    calendar: COMMUNITY,
    day: -40,
    hour: 20,
    hours: 2,
    color: "DANDELION",
    everyWeeks: 2,
    texts: { location: "Voice channel 2" },
  },
  { name: "Movie night", calendar: COMMUNITY, day: 1, hour: 19, hours: 3, color: MOVIE },
  { name: "Book club", calendar: COMMUNITY, day: 9, hour: 18, hours: 2, color: "BLUE" },
];

/** Events that are created after the announcement of tournaments, which has a post at the creation of each. */
const TOURNAMENTS: readonly DemoEvent[] = [
  {
    name: "Duel tournament",
    calendar: RAIDS,
    day: 3,
    hour: 15,
    hours: 4,
    color: TOURNAMENT,
    texts: { location: "Arena", description: "Sign up until noon." },
  },
  { name: "Arena league", calendar: RAIDS, day: 10, hour: 16, hours: 3, color: TOURNAMENT, pausedUntilDay: 8 },
  { name: "Lantern cup", calendar: RAIDS, day: 9, hour: 16, hours: 3, color: TOURNAMENT },
];

/** All-day events. `days` is their length. */
const WHOLE_DAYS = [
  { name: "Game jam", calendar: COMMUNITY, day: 5, days: 3, color: "MAC_AND_CHEESE" },
  { name: "Founders' day", calendar: HOLIDAYS, day: 4, days: 1, color: "MERCURY" },
  { name: "Lantern festival", calendar: HOLIDAYS, day: 8, days: 2, color: "MERCURY" },
  { name: "Day of rest", calendar: HOLIDAYS, day: 25, days: 1, color: "MERCURY" },
] as const;

/** Instants in Unix milliseconds that are relative to the time at which the demo starts. */
export class DemoClock {
  readonly now: number;
  readonly #midnight: number;

  constructor(now: number) {
    this.now = now;
    this.#midnight = now - (now % DAY_MS);
  }

  /** An instant of the day that is `day` days after today. */
  at(day: number, hour = 0): number {
    return this.#midnight + day * DAY_MS + hour * HOUR_MS;
  }

  inMinutes(minutes: number): number {
    return this.now + minutes * MINUTE_MS;
  }
}

/** Creates the calendars with their events; returns the ids of the events by their names. */
export async function createCalendars(post: Post, clock: DemoClock): Promise<ReadonlyMap<string, string>> {
  await post("/v2/guild/settings/update", { max_calendars: 3 });
  await post("/v2/calendar/update", { calendar_number: RAIDS, name: "Raids" });
  await post("/v2/calendar/update", { calendar_number: COMMUNITY, name: "Community" });
  await post("/v2/calendar/update", { calendar_number: HOLIDAYS, name: "Holidays" });
  const ids = new Map<string, string>();
  for (const event of EVENTS) ids.set(event.name, await createEvent(post, clock, event));
  for (const { name, calendar, day, days, color } of WHOLE_DAYS) {
    await post("/v2/events/create", {
      calendar_number: calendar,
      name,
      color,
      all_day: true,
      start_date: dateOf(clock.at(day)),
      end_date: dateOf(clock.at(day + days)),
    });
  }
  return ids;
}

export async function createTournaments(post: Post, clock: DemoClock): Promise<void> {
  for (const event of TOURNAMENTS) await createEvent(post, clock, event);
}

/** Creates a dungeon run, which has a post an hour before its start. */
export async function createRun(post: Post, name: string, start: number): Promise<string> {
  const times = { epoch_start: start, epoch_end: start + 2 * HOUR_MS };
  const { id } = await post("/v2/events/create", { calendar_number: RAIDS, name, color: DUNGEON, ...times });
  return String(id);
}

async function createEvent(
  post: Post,
  clock: DemoClock,
  { name, calendar, day, hour, hours, color, everyWeeks, pausedUntilDay, texts = {} }: DemoEvent,
): Promise<string> {
  const { id } = await post("/v2/events/create", {
    calendar_number: calendar,
    name,
    color,
    epoch_start: clock.at(day, hour),
    epoch_end: clock.at(day, hour + hours),
    ...(everyWeeks === undefined ? {} : { recur: true, recurrence: { frequency: "WEEKLY", interval: everyWeeks } }),
    ...(pausedUntilDay === undefined ? {} : { paused_until: clock.at(pausedUntilDay) }),
    ...texts,
  });
  return String(id);
}

const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
