import { NAMESPACE } from "../../moleculer.config.ts";
import { ratesUsed } from "../api/rates/gateway-rates.ts";
import { ROUTES } from "../api/route-table.ts";
import {
  announcementChanged,
  announcementsChangesSince,
  getAnnouncement,
  listAnnouncementRules,
  listAnnouncingGuilds,
  removeAnnouncementsOfEvent,
} from "../contracts/announcements.contract.ts";
import { apiKeyChanged } from "../contracts/api-keys.contract.ts";
import {
  calendarEventChanged,
  calendarEventsChangesSince,
  findEvent,
  listExistingEvents,
} from "../contracts/calendar-events.contract.ts";
import { getOccurrence, listOccurrencesStarting } from "../contracts/occurrences.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../contracts/dispatch.contract.ts";
import { EVERY_ACTION } from "../contracts/every-action.ts";
import {
  getGuildSettings,
  guildSettingsChanged,
  guildSettingsChangesSince,
} from "../contracts/guild-settings.contract.ts";
import { healthOf } from "../contracts/health.contract.ts";
import { OWNERS, type ServiceName, SERVICES } from "../contracts/service-names.ts";

/** A contract. */
type Contract = { readonly name: string };

/** What a service says on the bus, beside the answers that it gives, and which events it listens to. */
interface ServiceMessages {
  /** Actions, its own as well: with `disableBalancer` these are asked over the bus like any other. */
  readonly calls: readonly Contract[];
  readonly broadcasts: readonly Contract[];
  readonly listensTo: readonly Contract[];
}

/** Who asks whom and who tells whom: the rights on the bus follow from it. Held equal to the sources by a test. */
export const MESSAGE_FLOW: Readonly<Record<ServiceName, ServiceMessages>> = {
  api: {
    calls: [...ROUTES.map(({ contract }) => contract), ...OWNERS.map(healthOf)],
    broadcasts: [apiKeyChanged, ratesUsed],
    listensTo: [apiKeyChanged, ratesUsed],
  },
  announcements: { calls: [findEvent, listExistingEvents], broadcasts: [announcementChanged], listensTo: [] },
  "calendar-events": {
    calls: [getGuildSettings, removeAnnouncementsOfEvent],
    broadcasts: [calendarChanged, calendarEventChanged],
    listensTo: [guildSettingsChanged],
  },
  dispatch: {
    calls: [
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
    broadcasts: [announcementPosted, announcementMissed, announcementFailed],
    listensTo: [announcementChanged, calendarChanged, calendarEventChanged, guildSettingsChanged],
  },
  "guild-settings": { calls: [], broadcasts: [guildSettingsChanged], listensTo: [] },
};

/** The subjects that a service's user of the bus may publish and subscribe to. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** How nodes find each other: said to all, and to one node. Its id has two words, the service's and the process's. */
const TO_ALL = ["DISCOVER", "INFO", "DISCONNECT", "PING", "HEARTBEAT"];
const TO_ONE = ["DISCOVER", "INFO", "PING", "PONG"];

/**
 * The subjects of Moleculer with `disableBalancer`: a request goes to its action (`REQB.<action>`), an answer and an
 * event to a node (`RES.<node>`, `EVENT.<node>`). That nobody takes a request, the server itself says to its asker
 * (`RES.<node>.<request>`). Nobody may send to `REQ.<node>`, which would pass by the action.
 */
export function natsPermissions(service: ServiceName): NatsPermissions {
  const { calls: asks, broadcasts: tells, listensTo: hears } = MESSAGE_FLOW[service];
  const callers = SERVICES.filter((other) => MESSAGE_FLOW[other].calls.some(({ name }) => ownerOf(name) === service));
  const listeners = SERVICES.filter((other) => MESSAGE_FLOW[other].listensTo.some((event) => tells.includes(event)));
  const own = EVERY_ACTION.map(({ name }) => name).filter((name) => ownerOf(name) === service);
  const publish = [
    ...TO_ALL,
    ...TO_ONE.map((command) => `${command}.*.*`),
    ...asks.map(({ name }) => `REQB.${name}`),
    ...callers.map((caller) => `RES.${caller}.*`),
    ...listeners.map((listener) => `EVENT.${listener}.*`),
  ];
  const subscribe = [
    ...TO_ALL,
    ...[...TO_ONE, "REQ", "RES", "EVENT"].map((command) => `${command}.${service}.*`),
    `RES.${service}.*.*`,
    ...own.map((name) => `REQB.${name}`),
    ...hears.map(({ name }) => `EVENTB.${service}.${name}`),
  ];
  return { publish: inNamespace(publish), subscribe: inNamespace(subscribe) };
}

function ownerOf(action: string): string {
  return action.slice(0, action.indexOf("."));
}

function inNamespace(subjects: readonly string[]): string[] {
  return [...new Set(subjects)].toSorted().map((subject) => `MOL-${NAMESPACE}.${subject}`);
}
