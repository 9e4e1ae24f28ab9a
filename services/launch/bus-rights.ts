import { NAMESPACE } from "../../moleculer.config.ts";
import { RATES_USED } from "../api/rates/gateway-rates.ts";
import { ROUTES } from "../api/route-table.ts";
import {
  ANNOUNCEMENT_CHANGED,
  announcementsChangesSince,
  getAnnouncement,
  listAnnouncementRules,
  listAnnouncingGuilds,
  removeAnnouncementsOfEvent,
} from "../contracts/announcements.contract.ts";
import { API_KEY_CHANGED } from "../contracts/api-keys.contract.ts";
import {
  CALENDAR_EVENT_CHANGED,
  calendarEventsChangesSince,
  findEvent,
  listExistingEvents,
} from "../contracts/calendar-events.contract.ts";
import { getOccurrence, listOccurrencesStarting } from "../contracts/occurrences.contract.ts";
import { CALENDAR_CHANGED } from "../contracts/calendars.contract.ts";
import { ANNOUNCEMENT_FAILED, ANNOUNCEMENT_MISSED, ANNOUNCEMENT_POSTED } from "../contracts/dispatch.contract.ts";
import { EVERY_ACTION } from "../contracts/every-action.ts";
import {
  getGuildSettings,
  GUILD_SETTINGS_CHANGED,
  guildSettingsChangesSince,
} from "../contracts/guild-settings.contract.ts";
import { healthOf } from "../contracts/health.contract.ts";
import { OWNERS, type ServiceName, SERVICES } from "../contracts/service-names.ts";

/** What a service says on the bus, beside the answers that it gives, and which events it listens to. */
interface Spoken {
  /** Actions, its own as well: with `disableBalancer` these are asked over the bus like any other. */
  readonly asks: readonly { readonly name: string }[];
  readonly tells: readonly string[];
  readonly hears: readonly string[];
}

/** Who asks whom and who tells whom: the rights on the bus follow from it. Held equal to the sources by a test. */
export const SPOKEN: Readonly<Record<ServiceName, Spoken>> = {
  api: {
    asks: [...ROUTES.map(({ contract }) => contract), ...OWNERS.map(healthOf)],
    tells: [API_KEY_CHANGED, RATES_USED],
    hears: [API_KEY_CHANGED, RATES_USED],
  },
  announcements: { asks: [findEvent, listExistingEvents], tells: [ANNOUNCEMENT_CHANGED], hears: [] },
  "calendar-events": {
    asks: [getGuildSettings, removeAnnouncementsOfEvent],
    tells: [CALENDAR_CHANGED, CALENDAR_EVENT_CHANGED],
    hears: [GUILD_SETTINGS_CHANGED],
  },
  dispatch: {
    asks: [
      announcementsChangesSince,
      getAnnouncement,
      listAnnouncementRules,
      listAnnouncingGuilds,
      calendarEventsChangesSince,
      getOccurrence,
      listOccurrencesStarting,
      getGuildSettings,
      guildSettingsChangesSince,
    ],
    // For whoever else is on the bus; of the five none listens.
    tells: [ANNOUNCEMENT_POSTED, ANNOUNCEMENT_MISSED, ANNOUNCEMENT_FAILED],
    hears: [ANNOUNCEMENT_CHANGED, CALENDAR_CHANGED, CALENDAR_EVENT_CHANGED, GUILD_SETTINGS_CHANGED],
  },
  "guild-settings": { asks: [], tells: [GUILD_SETTINGS_CHANGED], hears: [] },
};

/** The subjects that a service's user of the bus may publish and subscribe to. */
export interface BusRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** How nodes find each other: said to all, and to one node. Its id has two words, the service's and the process's. */
const TO_ALL = ["DISCOVER", "INFO", "DISCONNECT", "PING", "HEARTBEAT"];
const TO_ONE = ["DISCOVER", "INFO", "PING", "PONG"];

/**
 * The subjects of Moleculer with `disableBalancer`: a request goes to its action (`REQB.<action>`), an answer and an
 * event to a node (`RES.<node>`, `EVENT.<node>`). That nobody takes a request, the server itself says to its asker
 * (`RES.<node>.<request>`). A request that is not answered is asked after at all of its owner's processes
 * (`UNHEARD.<service>`), which reply beside the answers. Nobody may send to `REQ.<node>`, which would pass by the action.
 */
export function busRights(service: ServiceName): BusRights {
  const { asks, tells, hears } = SPOKEN[service];
  const askers = SERVICES.filter((other) => SPOKEN[other].asks.some(({ name }) => ownerOf(name) === service));
  const hearers = SERVICES.filter((other) => SPOKEN[other].hears.some((event) => tells.includes(event)));
  const owners = asks.map(({ name }) => ownerOf(name));
  const own = EVERY_ACTION.map(({ name }) => name).filter((name) => ownerOf(name) === service);
  const publish = [
    ...TO_ALL,
    ...TO_ONE.map((command) => `${command}.*.*`),
    ...asks.map(({ name }) => `REQB.${name}`),
    ...owners.map((owner) => `UNHEARD.${owner}`),
    ...askers.flatMap((asker) => [`RES.${asker}.*`, `RES.${asker}.*.*`]),
    ...hearers.map((hearer) => `EVENT.${hearer}.*`),
  ];
  const subscribe = [
    ...TO_ALL,
    ...[...TO_ONE, "REQ", "RES", "EVENT"].map((command) => `${command}.${service}.*`),
    `RES.${service}.*.*`,
    ...own.map((name) => `REQB.${name}`),
    `UNHEARD.${service}`,
    ...hears.map((event) => `EVENTB.${service}.${event}`),
  ];
  return { publish: inNamespace(publish), subscribe: inNamespace(subscribe) };
}

function ownerOf(action: string): string {
  return action.slice(0, action.indexOf("."));
}

function inNamespace(subjects: readonly string[]): string[] {
  return [...new Set(subjects)].toSorted().map((subject) => `MOL-${NAMESPACE}.${subject}`);
}
