import type { Example } from "../route.ts";

const guild_id = "375357265198317579";
const event_id = "e7d4gbk2nq0sv51mhj8t3ofr6p";
const ongoing_id = "e7d4gbk2nq0sv51mhj8t3ofr70";
const calendar = { guild_id, calendar_number: 1 };

const texts = { name: "Raid night", description: "Weekly raid", location: "Voice channel 2" };
const image = "https://example.org/raid.png";
const recurrence = { frequency: "WEEKLY", count: 2, interval: 1 };

const series = {
  event_id,
  epoch_start: 1_893_783_600_000,
  epoch_end: 1_893_790_800_000,
  ...texts,
  is_parent: true,
  color: "RED",
  recur: true,
  recurrence,
  image,
};
const first = { ...series, event_id: `${event_id}_20300104T190000Z`, is_parent: false };
const second = {
  ...first,
  event_id: `${event_id}_20300111T190000Z`,
  epoch_start: 1_894_388_400_000,
  epoch_end: 1_894_395_600_000,
};

/** An event that is ongoing when the example is sent. */
const ongoing = {
  event_id: ongoing_id,
  epoch_start: 1_875_031_200_000,
  epoch_end: 1_875_038_400_000,
  name: "Open stage",
  is_parent: false,
  color: "NONE",
  recur: false,
};

export const eventExamples = {
  create: {
    request: {
      ...calendar,
      epoch_start: series.epoch_start,
      epoch_end: series.epoch_end,
      ...texts,
      color: "RED",
      recur: true,
      recurrence,
      image,
    },
    response: { message: "Event created", id: event_id },
  },
  get: { request: { ...calendar, event_id }, response: series },
  month: {
    request: { ...calendar, days_in_month: 31, epoch_start: 1_893_456_000_000 },
    response: { events: [first, second] },
  },
  date: {
    request: { ...calendar, epoch_start: 1_893_715_200_000 },
    response: { events: [first] },
  },
  range: {
    request: { ...calendar, epoch_start: 1_894_320_000_000, epoch_end: 1_894_406_399_999 },
    response: { events: [second] },
  },
  ongoing: { request: calendar, response: { events: [ongoing] } },
  search: {
    request: { ...calendar, text: "weekly raid", color: "RED", epoch_start: 1_893_456_000_000, limit: 10 },
    response: { events: [series] },
  },
  update: {
    request: { ...calendar, event_id, name: "Raid night, hard mode", color: "TANGERINE", location: null },
    response: { message: "Event updated" },
  },
  delete: { request: { ...calendar, event_id: second.event_id }, response: { message: "Event deleted" } },
} satisfies Record<string, Example>;
