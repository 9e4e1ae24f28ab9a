type Json = Record<string, unknown>;
/** Sends a request for the guild; rejects if it is refused. */
type Post = (path: string, body: Json) => Promise<Json>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Time from the requests to the first post. */
const FIRST_DUE_IN_MS = 10_000;
const CHANNEL = "375357265198317580";

/** An event. It starts `day` days and `hour` hours after today's midnight in UTC, the zone of a new calendar. */
interface DemoEvent {
  readonly name: string;
  readonly calendar: number;
  readonly day: number;
  readonly hour: number;
  readonly hours: number;
  readonly color: string;
  readonly recurrence?: Json;
  readonly more?: Json;
}

const EVENTS: readonly DemoEvent[] = [
  {
    name: "Raid night",
    calendar: 1,
    day: -13,
    hour: 19,
    hours: 3,
    color: "TURQUOISE",
    recurrence: { frequency: "WEEKLY", interval: 1 },
    more: { location: "Molten Core", description: "First pull at **nine sharp**." },
  },
  {
    name: "Training for newcomers",
    calendar: 1,
    day: -10,
    hour: 18,
    hours: 1,
    color: "GREEN",
    recurrence: { frequency: "WEEKLY", interval: 1 },
  },
  {
    name: "Council",
    calendar: 1,
    day: -20,
    hour: 20,
    hours: 1,
    color: "RED",
    recurrence: { frequency: "WEEKLY", interval: 4 },
  },
  { name: "Duel tournament", calendar: 1, day: 3, hour: 15, hours: 4, color: "TANGERINE" },
  { name: "Guild anniversary", calendar: 1, day: 6, hour: 17, hours: 5, color: "MAUVE" },
  {
    name: "Open stage",
    calendar: 2,
    day: -12,
    hour: 20,
    hours: 2,
    color: "DANDELION",
    recurrence: { frequency: "WEEKLY", interval: 2 },
  },
  { name: "Movie night", calendar: 2, day: 1, hour: 19, hours: 3, color: "MELROSE" },
  { name: "Book club", calendar: 2, day: 9, hour: 18, hours: 2, color: "BLUE" },
];

/** Fills a guild with calendars, events and announcements. The first announcement is posted after FIRST_DUE_IN_MS. */
export async function fillDemoGuild(post: Post, now: number): Promise<void> {
  const midnight = now - (now % DAY_MS);
  await post("/v2/guild/settings/update", { max_calendars: 2 });
  await post("/v2/calendar/update", { calendar_number: 1, name: "Raids" });
  await post("/v2/calendar/update", { calendar_number: 2, name: "Community" });
  const ids = new Map<string, string>();
  for (const { name, calendar, day, hour, hours, color, recurrence, more = {} } of EVENTS) {
    const start = midnight + day * DAY_MS + hour * HOUR_MS;
    const { id } = await post("/v2/events/create", {
      calendar_number: calendar,
      name,
      color,
      epoch_start: start,
      epoch_end: start + hours * HOUR_MS,
      ...(recurrence === undefined ? {} : { recur: true, recurrence }),
      ...more,
    });
    ids.set(name, String(id));
  }
  await post("/v2/events/create", {
    calendar_number: 2,
    name: "Game jam",
    color: "MAC_AND_CHEESE",
    all_day: true,
    start_date: dateOf(midnight + 4 * DAY_MS),
    end_date: dateOf(midnight + 7 * DAY_MS),
  });
  const soon = now + HOUR_MS + FIRST_DUE_IN_MS;
  const first = { name: "Dungeon run", color: "RIPTIDE", epoch_start: soon, epoch_end: soon + 2 * HOUR_MS };
  await post("/v2/events/create", { calendar_number: 1, ...first });
  await announce(post, { type: "UNIVERSAL", hours: 1, info: "Starts in an hour", subscribers_role: ["everyone"] });
  await announce(post, { type: "RECUR", event_id: ids.get("Raid night"), hours: 24, info: "Bring potions" });
  await announce(post, { type: "COLOR", event_color: "MELROSE", hours: 2, info: "Popcorn is ready" });
}

const announce = (post: Post, fields: Json) =>
  post("/v1/announcement/create", { channel: CHANNEL, minutes: 0, ...fields });

const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
