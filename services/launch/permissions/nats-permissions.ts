import { NAMESPACE } from "../../../moleculer.config.ts";
import { actionsFor, BUS_EVENTS, type BusUser, ALL_BUS_SUBJECTS, namespaceOf } from "../../api/bus/bus-user.ts";
import { ratesUsed } from "../../api/rates/gateway-rates.ts";
import { ROUTE_CONTRACTS } from "../../api/route-table.ts";
import {
  announcementChanged,
  announcementsChangesSince,
  announcementsCountChanges,
  getAnnouncement,
  removeAnnouncementsOfEvent,
} from "../../contracts/announcements.contract.ts";
import { listAnnouncementRules, listAnnouncingGuilds } from "../../contracts/announcement-rules.contract.ts";
import { apiKeyChanged } from "../../contracts/api-keys.contract.ts";
import {
  calendarEventChanged,
  calendarEventsChangesSince,
  calendarEventsCountChanges,
} from "../../contracts/calendar-events.contract.ts";
import { findEvent, listExistingEvents } from "../../contracts/event-references.contract.ts";
import {
  deliverOccurrence,
  encodeOccurrences,
  listOccurrenceSubscriptions,
  webhooksChangesSince,
} from "../../contracts/occurrence-notifications.contract.ts";
import { getOccurrence, listOccurrencesStarting, readDigest } from "../../contracts/occurrences.contract.ts";
import { calendarChanged, getCalendar } from "../../contracts/calendars.contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../../contracts/post-outcomes.contract.ts";
import { EVERY_ACTION } from "../../contracts/every-action.ts";
import { importEvents } from "../../contracts/event-import.contract.ts";
import { openFeed, readFeedPage } from "../../contracts/feeds.contract.ts";
import {
  listChangedAnnouncements,
  listChangedCalendars,
  listChangedEvents,
  listChangedSettings,
  listChangedWebhooks,
  listSettledPosts,
  readEncodedChanges,
} from "../../contracts/guild-changes.contract.ts";
import {
  getGuildSettings,
  guildSettingsChanged,
  guildSettingsChangesSince,
  guildSettingsCountChanges,
} from "../../contracts/guild-settings.contract.ts";
import { healthOf } from "../../contracts/health.contract.ts";
import {
  draftAnnouncements,
  draftOccurrences,
  draftSettings,
  showDraftOccurrences,
} from "../../contracts/owner-drafts.contract.ts";
import { OWNERS, type ServiceName, SERVICES } from "../../contracts/service-names.ts";
import { webhookChanged } from "../../contracts/webhooks.contract.ts";

/** An action or an event. */
type Contract = { readonly name: string };

/** The calls and events that a service sends, and the events that it receives. */
interface ServiceMessages {
  /** Actions, its own included: with `disableBalancer` a service calls its own actions over the bus too. */
  readonly calls: readonly Contract[];
  readonly broadcasts: readonly Contract[];
  readonly listensTo: readonly Contract[];
}

/** The message flow between the services; the NATS permissions follow from it. A test compares it with the sources. */
export const MESSAGE_FLOW: Readonly<Record<ServiceName, ServiceMessages>> = {
  api: {
    calls: [
      ...ROUTE_CONTRACTS,
      importEvents,
      openFeed,
      readFeedPage,
      listChangedAnnouncements,
      listChangedCalendars,
      listChangedEvents,
      listChangedSettings,
      listChangedWebhooks,
      listSettledPosts,
      ...OWNERS.map(healthOf),
    ],
    broadcasts: [apiKeyChanged, ratesUsed],
    // The gateway forwards events of other services to bus users.
    listensTo: [apiKeyChanged, ratesUsed, ...BUS_EVENTS],
  },
  announcements: {
    calls: [findEvent, getCalendar, listExistingEvents],
    broadcasts: [announcementChanged],
    listensTo: [],
  },
  "calendar-events": {
    calls: [getGuildSettings, removeAnnouncementsOfEvent],
    broadcasts: [calendarChanged, calendarEventChanged],
    listensTo: [guildSettingsChanged],
  },
  dispatch: {
    calls: [
      announcementsChangesSince,
      announcementsCountChanges,
      getAnnouncement,
      listAnnouncementRules,
      listAnnouncingGuilds,
      calendarEventsChangesSince,
      calendarEventsCountChanges,
      getOccurrence,
      listOccurrencesStarting,
      readDigest,
      draftSettings,
      draftOccurrences,
      showDraftOccurrences,
      draftAnnouncements,
      getGuildSettings,
      guildSettingsChangesSince,
      guildSettingsCountChanges,
      deliverOccurrence,
      listOccurrenceSubscriptions,
      webhooksChangesSince,
    ],
    broadcasts: [announcementPosted, announcementMissed, announcementFailed],
    listensTo: [announcementChanged, calendarChanged, calendarEventChanged, guildSettingsChanged, webhookChanged],
  },
  "guild-settings": { calls: [], broadcasts: [guildSettingsChanged], listensTo: [] },
  webhooks: {
    calls: [encodeOccurrences, readEncodedChanges],
    broadcasts: [webhookChanged],
    listensTo: [
      announcementChanged,
      announcementPosted,
      announcementMissed,
      announcementFailed,
      calendarChanged,
      calendarEventChanged,
      guildSettingsChanged,
    ],
  },
};

/** The subjects that the NATS user of a service may publish and subscribe to. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Discovery commands of Moleculer, sent to all nodes and to one node. A node id has two tokens: service and process. */
const TO_ALL = ["DISCOVER", "INFO", "DISCONNECT", "PING", "HEARTBEAT"];
const TO_ONE = ["DISCOVER", "INFO", "PING", "PONG"];

/**
 * The subjects of Moleculer with `disableBalancer`: a request goes to its action (`REQB.<action>`), a response and an
 * event go to a node (`RES.<node>`, `EVENT.<node>`). If a request has no subscriber, the NATS server tells the caller
 * (`RES.<node>.<request>`). No user may publish to `REQ.<node>`, which would bypass the permission for the action.
 */
export function natsPermissions(service: ServiceName): NatsPermissions {
  const { calls, broadcasts, listensTo } = MESSAGE_FLOW[service];
  const callers = SERVICES.filter((other) => MESSAGE_FLOW[other].calls.some(({ name }) => ownerOf(name) === service));
  const listeners = SERVICES.filter((other) =>
    MESSAGE_FLOW[other].listensTo.some((event) => broadcasts.includes(event)),
  );
  const own = EVERY_ACTION.map(({ name }) => name).filter((name) => ownerOf(name) === service);
  const publish = [
    ...TO_ALL,
    ...TO_ONE.map((command) => `${command}.*.*`),
    ...calls.map(({ name }) => `REQB.${name}`),
    ...callers.map((caller) => `RES.${caller}.*`),
    ...listeners.map((listener) => `EVENT.${listener}.*`),
  ];
  const subscribe = [
    ...TO_ALL,
    ...[...TO_ONE, "REQ", "RES", "EVENT"].map((command) => `${command}.${service}.*`),
    `RES.${service}.*.*`,
    ...own.map((name) => `REQB.${name}`),
    ...listensTo.map(({ name }) => `EVENTB.${service}.${name}`),
  ];
  const ofBusUsers = service === "api" ? [ALL_BUS_SUBJECTS] : [];
  return {
    publish: [...inNamespace(publish), ...ofBusUsers],
    subscribe: [...inNamespace(subscribe), ...ofBusUsers],
  };
}

/**
 * The permissions of a bus user, by its name and access. It may publish requests to the actions that it may call, one
 * by one, and subscribe to everything in its own namespace, in which only it and the gateway can publish.
 */
export function busUserPermissions({ name, access }: Pick<BusUser, "name" | "access">): NatsPermissions {
  const publish = [
    ...TO_ALL,
    ...TO_ONE.map((command) => `${command}.>`),
    ...actionsFor(access).map((action) => `REQB.${action.name}`),
  ];
  return { publish: inNamespace(publish, namespaceOf(name)), subscribe: [`MOL-${namespaceOf(name)}.>`] };
}

function ownerOf(action: string): string {
  return action.slice(0, action.indexOf("."));
}

function inNamespace(subjects: readonly string[], namespace: string = NAMESPACE): string[] {
  return [...new Set(subjects)].toSorted().map((subject) => `MOL-${namespace}.${subject}`);
}
