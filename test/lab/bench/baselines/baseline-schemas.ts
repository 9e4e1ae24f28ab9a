import { COLORS } from "../../../../services/contracts/calendar-events.contract.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const boolean = { type: "boolean" };
const strings = { type: "array", items: string };
const epoch = { type: "integer", minimum: 0, maximum: 253_402_300_799_999 };
const recurrence = {
  type: "object",
  properties: { frequency: string, count: integer, interval: integer },
  required: ["frequency"],
};
const inGuild = { guild_id: { type: "string", pattern: "^[1-9]\\d{0,18}$" } };
const inCalendar = { ...inGuild, calendar_number: { type: "integer", minimum: 1 } };
const texts = {
  name: { type: "string", maxLength: 256 },
  description: { type: "string", maxLength: 4000 },
  location: { type: "string", maxLength: 256 },
  image: { type: "string", maxLength: 2048 },
};

function object(properties: object, optional: readonly string[] = []) {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

/** The schemas of requests, for fastify's Ajv. */
export const bodies = {
  get: object({ ...inCalendar, event_id: string }),
  range: object({ ...inCalendar, epoch_start: epoch, epoch_end: epoch }),
  month: object({ ...inCalendar, epoch_start: epoch, days_in_month: { type: "integer", minimum: 1, maximum: 31 } }),
  create: object(
    {
      ...inCalendar,
      ...texts,
      epoch_start: epoch,
      epoch_end: epoch,
      color: { enum: COLORS },
      recur: boolean,
      recurrence,
    },
    [...Object.keys(texts), "color", "recur", "recurrence"],
  ),
  announcements: object({ ...inGuild, amount: { type: "integer", minimum: -1 } }),
  settings: object(inGuild),
};

const event = object(
  {
    event_id: string,
    epoch_start: integer,
    epoch_end: integer,
    name: string,
    description: string,
    location: string,
    is_parent: boolean,
    color: string,
    recur: boolean,
    recurrence: object({ frequency: string, count: integer, interval: integer }),
    image: string,
  },
  ["name", "description", "location", "image", "recurrence"],
);

const announcement = object({
  id: string,
  channel: string,
  event_id: string,
  event_color: string,
  type: string,
  hours: integer,
  minutes: integer,
  info: string,
  enabled: boolean,
  info_only: boolean,
  subscribers_role: strings,
  subscribers_user: strings,
});

/** The schemas of responses, for fastify's serializer. */
export const responses = {
  event,
  events: object({ events: { type: "array", items: event } }),
  created: object({ message: string, id: string }),
  announcements: object({ amount: integer, announcements: { type: "array", items: announcement } }),
  settings: object({
    guild_id: integer,
    external_calendar: boolean,
    control_role: string,
    simple_announcements: boolean,
    lang: string,
    prefix: string,
    patron_guild: boolean,
    dev_guild: boolean,
    max_calendars: integer,
    twelve_hour: boolean,
    branded: boolean,
  }),
};
