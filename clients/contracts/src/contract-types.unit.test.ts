import { expect, test } from "@jest/globals";
import * as announcements from "../../../services/contracts/announcements.contract.ts";
import * as events from "../../../services/contracts/calendar-events.contract.ts";
import * as calendarFollows from "../../../services/contracts/calendar-follows.contract.ts";
import * as calendars from "../../../services/contracts/calendars.contract.ts";
import type { ActionContract, EventContract, ParamsOf, ResultOf } from "../../../services/contracts/contract.ts";
import * as dispatch from "../../../services/contracts/dispatch.contract.ts";
import * as eventPages from "../../../services/contracts/event-pages.contract.ts";
import * as feeds from "../../../services/contracts/feeds.contract.ts";
import * as changes from "../../../services/contracts/guild-changes.contract.ts";
import * as settings from "../../../services/contracts/guild-settings.contract.ts";
import * as notifications from "../../../services/contracts/occurrence-notifications.contract.ts";
import * as plans from "../../../services/contracts/plan-diff.contract.ts";
import * as outcomes from "../../../services/contracts/post-outcomes.contract.ts";
import * as webhooks from "../../../services/contracts/webhooks.contract.ts";
import type { Actions, Events } from "./contract-types.ts";

/** The contract of each action and event in the package. */
const ACTIONS = {
  "announcements.create": announcements.createAnnouncement,
  "announcements.get": announcements.getAnnouncement,
  "announcements.list": announcements.listAnnouncements,
  "announcements.listPage": announcements.listAnnouncementsPage,
  "announcements.remove": announcements.removeAnnouncement,
  "announcements.update": announcements.updateAnnouncement,
  "api.createFeed": feeds.createFeed,
  "api.listChanges": changes.listChanges,
  "api.listFeeds": feeds.listFeeds,
  "api.listFeedsPage": feeds.listFeedsPage,
  "api.revokeFeed": feeds.revokeFeed,
  "api.rotateFeed": feeds.rotateFeed,
  "calendar-events.create": events.createEvent,
  "calendar-events.get": events.getEvent,
  "calendar-events.followCalendar": calendarFollows.followCalendar,
  "calendar-events.getCalendarFollow": calendarFollows.getCalendarFollow,
  "calendar-events.unfollowCalendar": calendarFollows.unfollowCalendar,
  "calendar-events.getCalendar": calendars.getCalendar,
  "calendar-events.list": events.listEvents,
  "calendar-events.listCalendars": calendars.listCalendars,
  "calendar-events.listCalendarsPage": calendars.listCalendarsPage,
  "calendar-events.listOngoing": events.listOngoingEvents,
  "calendar-events.listOngoingPage": eventPages.listOngoingEventsPage,
  "calendar-events.listPage": eventPages.listEventsPage,
  "calendar-events.remove": events.removeEvent,
  "calendar-events.search": eventPages.searchEvents,
  "calendar-events.update": events.updateEvent,
  "calendar-events.updateCalendar": calendars.updateCalendar,
  "dispatch.diffPlan": plans.diffPlan,
  "dispatch.listHistory": dispatch.listPostHistory,
  "dispatch.listHistoryPage": dispatch.listPostHistoryPage,
  "dispatch.listMissedNotifications": notifications.listMissedNotifications,
  "dispatch.listUpcoming": dispatch.listUpcomingPosts,
  "dispatch.listUpcomingPage": dispatch.listUpcomingPostsPage,
  "dispatch.preview": dispatch.previewPost,
  "dispatch.previewDrafts": plans.previewDrafts,
  "guild-settings.get": settings.getGuildSettings,
  "guild-settings.update": settings.updateGuildSettings,
  "webhooks.create": webhooks.createWebhook,
  "webhooks.get": webhooks.getWebhook,
  "webhooks.list": webhooks.listWebhooks,
  "webhooks.listDeliveries": webhooks.listWebhookDeliveries,
  "webhooks.redeliver": webhooks.redeliverWebhook,
  "webhooks.remove": webhooks.removeWebhook,
  "webhooks.rotate": webhooks.rotateWebhook,
  "webhooks.update": webhooks.updateWebhook,
} satisfies Record<keyof Actions, Pick<ActionContract<never, unknown>, "name">>;

const EVENTS = {
  "announcement.changed": announcements.announcementChanged,
  "announcement.failed": outcomes.announcementFailed,
  "announcement.missed": outcomes.announcementMissed,
  "announcement.posted": outcomes.announcementPosted,
  "calendar-event.changed": events.calendarEventChanged,
  "calendar.changed": calendars.calendarChanged,
  "guild-settings.changed": settings.guildSettingsChanged,
  "webhook.changed": webhooks.webhookChanged,
} satisfies Record<keyof Events, Pick<EventContract<never>, "name">>;

/** Replaces the branded strings of the sources by the plain strings of the package. */
type Unbranded<T> = T extends string
  ? T extends { readonly __brand: string }
    ? string
    : T
  : T extends object
    ? { [Key in keyof T]: Unbranded<T[Key]> }
    : T;

type Same<One, Other> = [Plain<One>, Plain<Other>] extends [Plain<Other>, Plain<One>] ? true : false;
/** One object type instead of an intersection. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/** The names whose types differ from the sources. */
type DifferingAction = {
  [Name in keyof Actions]: Same<Unbranded<ParamsOf<(typeof ACTIONS)[Name]>>, Actions[Name]["params"]> extends true
    ? Same<Unbranded<ResultOf<(typeof ACTIONS)[Name]>>, Actions[Name]["result"]> extends true
      ? never
      : Name
    : Name;
}[keyof Actions];
type DifferingEvent = {
  [Name in keyof Events]: (typeof EVENTS)[Name] extends EventContract<infer Payload>
    ? Same<Unbranded<Payload>, Events[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof Events];

/** The compiler refuses a call with a type other than `never`. */
function needNone(_names: readonly never[]): void {}

test("the types of the package are equal to those of the contracts with the same names", () => {
  needNone([] as DifferingAction[]);
  needNone([] as DifferingEvent[]);
  const named = Object.entries({ ...ACTIONS, ...EVENTS }).filter(([name, contract]) => contract.name !== name);
  expect(named).toEqual([]);
});
