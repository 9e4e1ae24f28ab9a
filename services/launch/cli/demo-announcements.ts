import { COMMUNITY, type DemoClock, DUNGEON, HOLIDAYS, MOVIE, type Post, RAIDS, TOURNAMENT } from "./demo-events.ts";

/** The channel of all posts. */
export const DEMO_CHANNEL = "375357265198317580";

const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Creates the announcements, and the template of the guild for those that have none of their own. */
export async function createAnnouncements(
  post: Post,
  clock: DemoClock,
  events: ReadonlyMap<string, string>,
): Promise<void> {
  await post("/v2/guild/settings/update", {
    template: {
      title: "{name} ({calendar})",
      body: "**{start:date}**, {start:relative}\n{description}",
      fields: ["TIMES", "LOCATION", "INFO"],
    },
  });
  const announcements = [
    {
      type: "RECUR",
      event_id: events.get("Raid night"),
      offsets: [offset("START", -DAY), offset("START", -30), offset("END", 15)],
      info: "Bring potions. Afterwards, post your logs here.",
      template: {
        title: "{name} at {location}",
        body: "{start:local}, for {duration}\n{description}",
        fields: ["INFO"],
      },
      subscribers_role: ["everyone"],
      skip_on: HOLIDAYS,
      on_change: "EDIT",
      clean_up: 12 * HOUR,
    },
    {
      type: "RECUR",
      event_id: events.get("Training for newcomers"),
      hours: 2,
      minutes: 0,
      info: "Newcomers and their mentors, please be on time.",
      skip_on: HOLIDAYS,
    },
    {
      type: "COLOR",
      event_color: TOURNAMENT,
      offsets: [offset("CREATED", 0), offset("START", -DAY), offset("START", -HOUR)],
      info: "Sign up with the officers.",
      skip_on: HOLIDAYS,
    },
    {
      type: "COLOR",
      event_color: DUNGEON,
      hours: 1,
      minutes: 0,
      info: "Five places, first come, first served.",
      subscribers_role: ["here"],
      on_change: "EDIT",
      clean_up: HOUR,
    },
    {
      type: "SPECIFIC",
      event_id: events.get("Guild anniversary"),
      offsets: [offset("START", -WEEK), offset("START", -DAY), offset("START", 0)],
      info: "Everybody is invited.",
    },
    {
      type: "RECUR",
      event_id: events.get("Open stage"),
      hours: 3,
      minutes: 0,
      info: "The stage is being rebuilt until next week.",
      paused_until: clock.at(8),
    },
    { type: "COLOR", event_color: MOVIE, hours: 2, minutes: 0, info: "Popcorn is ready." },
    {
      type: "DIGEST",
      digest: { calendar_number: RAIDS, frequency: "WEEKLY", weekday: "MO", time: "09:00" },
      info: "The raids of this week:",
    },
    {
      type: "DIGEST",
      digest: {
        calendar_number: COMMUNITY,
        frequency: "WEEKLY",
        weekday: "FR",
        time: "17:00",
        days: 3,
        empty_text: "A quiet weekend.",
      },
      info: "This weekend in the community:",
    },
  ];
  for (const fields of announcements) await post("/v1/announcement/create", { channel: DEMO_CHANNEL, ...fields });
}

const offset = (anchor: "START" | "END" | "CREATED", minutes: number) => ({ anchor, minutes });
