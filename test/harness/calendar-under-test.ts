import { startTestServices, type TestServices } from "./test-services.ts";
import { until } from "./until.ts";
import {
  calendarEventChanged,
  type CalendarEventChanged,
  createEvent,
  type CreateEventParams,
  type EventView,
  getEvent,
  listEvents,
  removeEvent,
  updateEvent,
  type UpdateEventParams,
} from "../../services/contracts/calendar-events.contract.ts";
import { listOccurrencesStarting, type Occurrence } from "../../services/contracts/occurrences.contract.ts";
import type { EventId, GuildId, OccurrenceId } from "../../services/contracts/ids.ts";
import type { Revised } from "../../services/contracts/revision.ts";
import { updateGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { DEFAULT_EVENTS_PER_GUILD } from "../../services/calendar-events/calendar-events.settings.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The current time, by the clock of the service under test. */
export const noon = Date.UTC(2024, 4, 6, 12);

/** The calendar events service and the services that it calls, on their own database. */
export interface CalendarUnderTest {
  readonly services: TestServices;
  readonly heard: readonly CalendarEventChanged[];
  /** A guild that no other test uses. */
  newGuild(): GuildId;
  /** Creates an event in the first calendar, by default for one hour from noon. */
  create(guildId: GuildId, fields?: Partial<CreateEventParams>): Promise<{ eventId: EventId } & Revised>;
  update(guildId: GuildId, eventId: string, changes: Partial<UpdateEventParams>): Promise<Revised>;
  remove(guildId: GuildId, eventId: string): Promise<void>;
  get(guildId: GuildId, eventId: string, calendarNumber?: number): Promise<EventView & Revised>;
  list(guildId: GuildId, from: number, until: number): Promise<EventView[]>;
  /** The occurrences that start in a window, as dispatch gets them. */
  starting(guildId: GuildId, from: number, until: number): Promise<Occurrence[]>;
}

export async function startCalendar(eventsPerGuild?: number): Promise<CalendarUnderTest> {
  const heard: CalendarEventChanged[] = [];
  const listener = {
    name: "listener",
    events: { [calendarEventChanged.name]: ({ params }: { params: CalendarEventChanged }) => void heard.push(params) },
  };
  const services = await startTestServices((mongoUrl) => servicesOn(mongoUrl, eventsPerGuild), [listener]);
  let guilds = 0;
  return {
    services,
    heard,
    newGuild() {
      guilds += 1;
      return String(375_357_265_198_317_579n + BigInt(guilds)) as GuildId;
    },
    create: (guildId, fields = {}) =>
      services.call(createEvent, { guildId, calendarNumber: 1, startsAt: noon, endsAt: noon + HOUR, ...fields }),
    update: (guildId, eventId, changes) =>
      services.call(updateEvent, { guildId, calendarNumber: 1, eventId: eventId as EventId, ...changes }),
    remove: (guildId, eventId) =>
      services.call(removeEvent, { guildId, calendarNumber: 1, eventId: eventId as EventId }),
    get: (guildId, eventId, calendarNumber = 1) =>
      services.call(getEvent, { guildId, calendarNumber, eventId: eventId as EventId | OccurrenceId }),
    list: (guildId, from, end) => services.call(listEvents, { guildId, calendarNumber: 1, from, until: end }),
    async starting(guildId, from, end) {
      const params = { guildId, windows: [{ from, until: end }], limit: 1000 };
      return (await services.call(listOccurrencesStarting, params)).occurrences;
    },
  };
}

function servicesOn(mongoUrl: string, eventsPerGuild = DEFAULT_EVENTS_PER_GUILD) {
  return [guildSettingsService({ mongoUrl }), calendarEventsService({ mongoUrl, eventsPerGuild, now: () => noon })];
}

/** Allows the guild this number of calendars, and waits until the service under test knows it. */
export async function allowCalendars(calendar: CalendarUnderTest, guildId: GuildId, to: number): Promise<void> {
  await calendar.services.call(updateGuildSettings, { guildId, maxCalendars: to });
  const isThere = () => calendar.get(guildId, "", to).catch((error: unknown) => (error as { type: string }).type);
  await until(async () => (await isThere()) === "EVENT_NOT_FOUND", `calendar ${to} of guild ${guildId}`);
}
