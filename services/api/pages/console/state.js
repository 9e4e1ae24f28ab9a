/** @import { Announcement, ApiKey, Calendar, Entry, Feed, Post, Webhook } from "./model/types.ts" */
/** @import { Api } from "./api.js" */
/** @import { Formats } from "./format.js" */
/** @import { Store } from "./store.js" */
/** @import { Translate } from "./words/words.js" */

/** The pages of the console, in the order of the navigation. */
const PAGES = /** @type {const} */ (["calendar", "timeline", "announcements", "settings", "webhooks", "feeds", "keys"]);
/** @typedef {(typeof PAGES)[number]} PageName */

/** The views of the calendar. */
export const VIEWS = /** @type {const} */ (["month", "week", "agenda"]);
/** @typedef {(typeof VIEWS)[number]} ViewName */

/** A move of an entry that is not stored yet. `isSaving` from its confirmation on. */
/** @typedef {{ entry: Entry, days: number, minutes: number, isSaving?: boolean }} Move */

/**
 * @typedef {object} State
 * @property {PageName} page
 * @property {ViewName} view
 * @property {string} date A date of the view.
 * @property {string} zone The zone of the shown times; empty for that of the first calendar.
 * @property {readonly number[]} hidden Calendars that are not shown.
 * @property {readonly Calendar[]} calendars
 * @property {readonly Entry[]} entries
 * @property {readonly Post[]} history
 * @property {readonly Post[]} upcoming
 * @property {string | undefined} olderPosts Cursor of the older history.
 * @property {string | undefined} notPlanned Why the plan is incomplete (D39).
 * @property {ReadonlyMap<string, string>} eventNames Names of the events of posts by their ids.
 * @property {readonly string[]} postFilter Kinds of posts that are shown; empty for all.
 * @property {readonly Announcement[]} announcements
 * @property {Record<string, unknown> | undefined} settings
 * @property {readonly Webhook[]} webhooks
 * @property {readonly Feed[]} feeds
 * @property {readonly ApiKey[]} keys The latest keys.
 * @property {boolean} moreKeys Whether there are older keys.
 * @property {Move | undefined} move
 * @property {boolean} isDragging
 * @property {"connecting" | "live" | "polling" | "lost"} connection
 * @property {string} problem Text of the last failed read.
 * @property {boolean} isLoading
 */

/**
 * What the views use.
 * @typedef {object} App
 * @property {Api} api
 * @property {Store<State>} store
 * @property {"read" | "write" | "operator"} access
 * @property {Translate} t
 * @property {Formats} format
 * @property {(text: string) => void} announce Reads a text to users of screen readers, and shows it for a while.
 * @property {() => Promise<void>} reload Reads again what the page shows.
 * @property {(path: string) => void} open Opens a page or a view, such as `calendar/week/2026-11-25`.
 */

/** @param {App} app */
export const canWrite = ({ access }) => access !== "read";

/**
 * The pages for this key: those of keys are for operators.
 * @param {App["access"]} access
 */
export const pagesFor = (access) => PAGES.filter((page) => page !== "keys" || access === "operator");

/**
 * The zone in which times are shown.
 * @param {State} state
 */
export const shownZone = ({ zone, calendars }) => (zone === "" ? (calendars[0]?.timezone ?? "UTC") : zone);

/**
 * @param {string} date Today.
 * @param {Partial<State>} remembered
 * @returns {State}
 */
export const initialState = (date, remembered) => ({
  page: "calendar",
  view: "month",
  date,
  zone: "",
  hidden: [],
  calendars: [],
  entries: [],
  history: [],
  upcoming: [],
  olderPosts: undefined,
  notPlanned: undefined,
  eventNames: new Map(),
  postFilter: [],
  announcements: [],
  settings: undefined,
  webhooks: [],
  feeds: [],
  keys: [],
  moreKeys: false,
  move: undefined,
  isDragging: false,
  connection: "connecting",
  problem: "",
  isLoading: false,
  ...remembered,
});

/**
 * The state that a location names, such as `#calendar/week/2026-11-25`.
 * @param {string} hash
 * @returns {Partial<State>}
 */
export function stateOfHash(hash) {
  const [page, view, date] = hash.replace(/^#/, "").split("/");
  const knownPage = PAGES.find((each) => each === page);
  const knownView = VIEWS.find((each) => each === view);
  return {
    ...(knownPage === undefined ? {} : { page: knownPage }),
    ...(knownView === undefined ? {} : { view: knownView }),
    ...(date !== undefined && isDate(date) ? { date } : {}),
  };
}

/** @param {State} state */
export const hashOfState = ({ page, view, date }) => (page === "calendar" ? `#${page}/${view}/${date}` : `#${page}`);

/** @param {string} text */
const isDate = (text) => /^(?:19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
