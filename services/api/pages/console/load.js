import { RequestError } from "./api.js";
import { addDays, datesOfView } from "./model/civil-date.js";
import { mergePosts } from "./model/post-timeline.js";
import { instantOf, isKnownZone } from "./model/zoned-time.js";
import { shownZone } from "./state.js";

/** @import { Announcement, ApiKey, Calendar, CalendarEvent, Entry, Feed, Post, Webhook } from "./model/types.ts" */
/** @import { App, State } from "./state.js" */

/** Days ahead whose events an announcement can refer to in the form. */
const CHOICE_DAYS = 60;
/** Entries that the names of posts are looked up in. */
const MAX_NAMED = 5000;
/** Posts of a page of the history. */
const HISTORY_PAGE = 200;
/** Days ahead whose posts the timeline shows. Those behind the plan are computed (D57). */
const DAYS_OF_POSTS = 31;
/** Posts ahead that the timeline shows, the soonest ones. */
const MAX_AHEAD = 2000;
/** API keys that are shown, the latest ones. */
const SHOWN_KEYS = 300;
const DAY_MS = 86_400_000;

/** Number of reads that have begun: a later one replaces an earlier one, whichever ends first. */
let reads = 0;

/**
 * Reads what the page shows. A failed read leaves the page as it is, with the problem.
 * @param {App} app
 */
export async function loadPage(app) {
  const { page } = app.store.state;
  reads += 1;
  const own = reads;
  app.store.update({ isLoading: true });
  try {
    const calendars = await readCalendars(app);
    app.store.update({ calendars });
    const loaded = await LOADERS[page](app);
    if (own === reads) app.store.update({ ...loaded, problem: "" });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 401) throw error;
    app.store.update({ problem: error.message === "" ? app.t("no_response") : error.message });
  } finally {
    if (own === reads) app.store.update({ isLoading: false });
  }
}

/** @type {Readonly<Record<State["page"], (app: App) => Promise<Partial<State>>>>} */
const LOADERS = {
  calendar: loadEntries,
  timeline: loadPosts,
  announcements: loadAnnouncements,
  settings: loadSettings,
  webhooks: loadWebhooks,
  feeds: loadFeeds,
  keys: loadKeys,
};

/** @param {App} app */
async function readCalendars({ api }) {
  /** @type {Calendar[]} */
  const calendars = await api.list("/v2/calendar/list", "calendars");
  // A zone that the browser does not know yet is shown as UTC.
  return calendars.map((each) => (isKnownZone(each.timezone) ? each : Object.assign(each, { timezone: "UTC" })));
}

/** @param {App} app */
async function loadEntries(app) {
  const { state } = app.store;
  const zone = shownZone(state);
  const dates = datesOfView(state.view, state.date, app.format.firstWeekday);
  const [first = state.date, last = state.date] = [dates[0], dates.at(-1)];
  const shown = state.calendars.filter(({ calendar_number }) => !state.hidden.includes(calendar_number));
  const entries = await readEntries(app, shown, {
    // All-day events have the dates of their calendar's zone, which differ by at most a day from those of the shown one.
    from: Math.max(0, instantOf(addDays(first, -1), 0, zone)),
    to: instantOf(addDays(last, 2), 0, zone) - 1,
  });
  const now = app.store.state;
  return now.view === state.view && now.date === state.date ? { entries } : {};
}

/**
 * @param {App} app
 * @param {readonly Calendar[]} calendars
 * @param {{ from: number, to: number }} window
 * @param {number} [maxEntries]
 * @returns {Promise<Entry[]>}
 */
async function readEntries({ api }, calendars, { from, to }, maxEntries) {
  const lists = await Promise.all(
    calendars.map(async ({ calendar_number }) => {
      const fields = { calendar_number, epoch_start: from, epoch_end: to };
      /** @type {CalendarEvent[]} */
      const events = await api.list("/v2/events/list/range", "events", fields, maxEntries);
      return events.map((event) => Object.assign(event, { calendar_number }));
    }),
  );
  return lists.flat();
}

/** @param {App} app */
async function loadPosts(app) {
  const [{ body: settled }, { upcoming, notPlanned }, announcements] = await Promise.all([
    app.api.send("/v1/announcement/history", { limit: HISTORY_PAGE }),
    readUpcoming(app),
    readAnnouncements(app),
  ]);
  const newest = /** @type {Post[]} */ (settled["posts"]);
  const { history: shown, olderPosts } = app.store.state;
  // Older pages that were opened stay.
  const oldest = newest.at(-1)?.settled ?? 0;
  const older = shown.length > HISTORY_PAGE ? shown.filter(({ settled: at = 0 }) => at < oldest) : [];
  const history = [...newest, ...older];
  return {
    announcements,
    history,
    upcoming,
    olderPosts: older.length > 0 ? olderPosts : textOf(settled["next"]),
    notPlanned,
    eventNames: await namesOf(app, mergePosts(history, upcoming)),
  };
}

/**
 * The posts of the next days, and why the plan does not have all of its time.
 * @param {App} app
 */
async function readUpcoming({ api }) {
  const due_until = Date.now() + DAYS_OF_POSTS * DAY_MS;
  /** @type {Post[]} */
  const upcoming = [];
  for (let cursor; ;) {
    const page = { due_until, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const { body } = await api.send("/v1/announcement/upcoming", page);
    upcoming.push(.../** @type {Post[]} */ (body["posts"]));
    cursor = body["next"];
    if (cursor === undefined || upcoming.length >= MAX_AHEAD) {
      const { message } = Object(body["not_planned"]);
      return { upcoming, notPlanned: textOf(message) };
    }
  }
}

/**
 * Reads a further page of the history.
 * @param {App} app
 */
export async function loadOlderPosts(app) {
  const { history, olderPosts, upcoming } = app.store.state;
  if (olderPosts === undefined) return;
  const { body } = await app.api.send("/v1/announcement/history", { limit: HISTORY_PAGE, cursor: olderPosts });
  const all = [...history, .../** @type {Post[]} */ (body["posts"])];
  app.store.update({
    history: all,
    olderPosts: textOf(body["next"]),
    eventNames: await namesOf(app, mergePosts(all, upcoming)),
  });
}

/**
 * The names of the posts' events; those of deleted events are unknown.
 * @param {App} app
 * @param {readonly Post[]} posts
 */
async function namesOf(app, posts) {
  const starts = posts.map(({ epoch_start }) => epoch_start);
  if (starts.length === 0) return new Map();
  const window = { from: Math.max(0, Math.min(...starts)), to: Math.max(...starts) };
  const entries = await readEntries(app, app.store.state.calendars, window, MAX_NAMED);
  return new Map(entries.map(({ event_id, name = "" }) => [event_id, name]));
}

/**
 * @param {App} app
 * @returns {Promise<Announcement[]>}
 */
const readAnnouncements = ({ api }) => api.list("/v1/announcement/list", "announcements");

/** @param {App} app */
async function loadAnnouncements(app) {
  const { calendars } = app.store.state;
  const from = Date.now() - DAY_MS;
  const [announcements, entries] = await Promise.all([
    readAnnouncements(app),
    readEntries(app, calendars, { from, to: from + CHOICE_DAYS * DAY_MS }, 1000),
  ]);
  return { announcements, entries };
}

/** @param {App} app */
async function loadSettings({ api }) {
  const { body } = await api.send("/v2/guild/settings/get");
  return { settings: body };
}

/** @param {App} app */
async function loadWebhooks({ api }) {
  const { body } = await api.send("/v2/webhooks/list");
  return { webhooks: /** @type {Webhook[]} */ (body["webhooks"]) };
}

/** @param {App} app */
async function loadFeeds({ api }) {
  const { body } = await api.send("/v2/calendar/feeds/list");
  return { feeds: /** @type {Feed[]} */ (body["feeds"]) };
}

/** @param {App} app */
async function loadKeys({ api, access }) {
  if (access !== "operator") return {};
  const { body } = await api.send("/admin/keys/list", { amount: SHOWN_KEYS });
  return { keys: /** @type {ApiKey[]} */ (body["keys"]), moreKeys: body["next"] !== undefined };
}

/** @param {unknown} value */
const textOf = (value) => (typeof value === "string" ? value : undefined);
