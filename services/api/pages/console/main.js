import { accessOf, Api, RequestError } from "./api.js";
import { element, replaceContent } from "./element.js";
import { followChanges } from "./follow-changes.js";
import { Formats, localeOf, preferredLanguage, todayIn } from "./format.js";
import { loadPage } from "./load.js";
import { rereadAfter } from "./model/post-timeline.js";
import { forgetSession, storedPreferences, storedSession, storePreferences, storeSession } from "./session.js";
import { hashOfState, initialState, pagesFor, stateOfHash } from "./state.js";
import { Store } from "./store.js";
import { announcementsPage } from "./views/announcements.js";
import { calendarPage } from "./views/calendar.js";
import { feedsPage } from "./views/feeds.js";
import { keysPage } from "./views/keys.js";
import { settingsPage } from "./views/settings.js";
import { connectionText, headerView, navigationView } from "./views/shell.js";
import { signInPage } from "./views/sign-in.js";
import { timelinePage } from "./views/timeline.js";
import { webhooksPage } from "./views/webhooks.js";
import { WORDS, translator } from "./words/words.js";

/** @import { Language } from "./format.js" */
/** @import { Session } from "./session.js" */
/** @import { App } from "./state.js" */
/** @import { Theme } from "./views/shell.js" */

const CONTENT = {
  calendar: calendarPage,
  timeline: timelinePage,
  announcements: announcementsPage,
  settings: settingsPage,
  webhooks: webhooksPage,
  feeds: feedsPage,
  keys: keysPage,
};

/** A burst of changes is read once. */
const RELOAD_DELAY_MS = 300;
/** Interval between attempts to sign in again while the service does not respond. */
const RETRY_MS = 3_000;
/** Time for which an announced text is shown. */
const TOAST_MS = 8_000;

const root = /** @type {HTMLElement} */ (document.getElementById("console"));
const toast = element("div", { class: "toast", role: "status" });
document.body.append(toast);
// A text that was announced in a dialog outlives it.
document.addEventListener("close", () => document.body.append(toast), { capture: true });

/** @type {{ language: Language, theme: Theme }} */
const preferences = { language: preferredLanguage(navigator.languages), theme: "system" };
const remembered = storedPreferences();
if (Object.hasOwn(WORDS, String(remembered["language"])))
  preferences.language = /** @type {Language} */ (remembered["language"]);
if (remembered["theme"] === "light" || remembered["theme"] === "dark") preferences.theme = remembered["theme"];

/** Ends what the page does for the session that is signed in. */
let session = new AbortController();

/** @param {string} text */
function announce(text) {
  // What is outside an open dialog is inert: it is neither shown above the dialog nor read.
  const parent = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (toast.parentNode !== parent) parent.append(toast);
  // A new node: the same text twice is read twice.
  const line = element("p", {}, text);
  toast.replaceChildren(line);
  setTimeout(() => line.remove(), TOAST_MS);
}

/**
 * @param {() => void} render
 * @returns {import("./views/shell.js").Chrome}
 */
function chrome(render) {
  const { language, theme } = preferences;
  const change = (/** @type {Partial<typeof preferences>} */ changes) => {
    Object.assign(preferences, changes);
    storePreferences({ ...preferences });
    applyPreferences();
    render();
  };
  return {
    t: translator(language),
    language,
    theme,
    onLanguage: (chosen) => change({ language: chosen }),
    onTheme: (chosen) => change({ theme: chosen }),
  };
}

function applyPreferences() {
  document.documentElement.lang = localeOf(preferences.language);
  document.documentElement.dataset["theme"] = preferences.theme;
}

/** @param {{ guild?: string, problem?: string }} known */
function showSignIn(known) {
  const parts = chrome(() => showSignIn(known));
  const page = signInPage(parts.t, known, (signedIn, access) => {
    storeSession(signedIn);
    start(signedIn, access);
  });
  replaceContent(root, headerView(parts), element("main", { id: "content", tabindex: -1 }, page));
  page.querySelector("input")?.focus();
}

/**
 * Shows the guild, and follows its changes until the sign-out.
 * @param {Session} signedIn
 * @param {App["access"]} access
 */
function start(signedIn, access) {
  session = new AbortController();
  const { signal } = session;
  const narrow = matchMedia("(max-width: 600px)").matches;
  const store = new Store(
    initialState(todayIn(new Intl.DateTimeFormat().resolvedOptions().timeZone), {
      ...(narrow ? { view: /** @type {const} */ ("agenda") } : {}),
      ...stateOfHash(location.hash),
    }),
  );

  /** @type {App} */
  const app = {
    api: new Api(signedIn.key, signedIn.guild),
    store,
    access,
    t: translator(preferences.language),
    format: new Formats(preferences.language),
    announce,
    reload: () => reload(),
    open(path) {
      location.hash = path;
      applyHash();
    },
  };

  const end = (/** @type {string} */ problem) => {
    session.abort();
    forgetSession();
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    showSignIn({ guild: signedIn.guild, problem });
  };

  const reload = async () => {
    try {
      await loadPage(app);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!signal.aborted) end(error.message);
    }
  };

  const header = element("div");
  const navigation = element("div");
  const banner = element("div", { class: "banner", role: "status" });
  const main = element("main", { id: "content", tabindex: -1 });

  const renderHeader = () => {
    const parts = chrome(() => {
      app.t = translator(preferences.language);
      app.format = new Formats(preferences.language);
      renderHeader();
      renderPage();
    });
    const isReadOnly = access === "read";
    replaceContent(header, headerView(parts, { guild: signedIn.guild, isReadOnly, onSignOut: () => end("") }));
  };
  const renderPage = () => {
    const { state } = store;
    replaceContent(navigation, navigationView(app.t, state, pagesFor(access)));
    const text = connectionText(app.t, state);
    if (banner.textContent !== text) banner.textContent = text;
    banner.hidden = text === "";
    main.classList.toggle("dragging", state.isDragging);
    main.setAttribute("aria-busy", String(state.isLoading));
    // A form that somebody is filling stays as it is.
    if (state.page === "settings" && main.querySelector("[data-changed]") !== null) return;
    replaceContent(main, ...CONTENT[state.page](app).flat());
  };

  const applyHash = () => {
    const before = store.state;
    const changes = stateOfHash(location.hash);
    const after = { ...before, ...changes };
    if (hashOfState(after) === hashOfState(before)) return;
    if (after.page !== before.page) for (const changed of main.querySelectorAll("[data-changed]")) changed.remove();
    store.update(changes);
    void reload();
  };

  store.subscribe(renderPage);
  window.addEventListener("hashchange", applyHash, { signal });
  replaceContent(root, header, navigation, banner, main);
  renderHeader();
  renderPage();
  void reload();
  followGuild(app, reload, end, signal);
}

/**
 * Reads the timeline again while its posts may change without a change of the guild.
 * @param {App} app
 * @param {() => Promise<void>} reload
 * @param {() => number} lastChange The time of the last change of the guild.
 * @param {AbortSignal} signal
 */
function rereadPosts({ store }, reload, lastChange, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  store.subscribe(({ page, isLoading, upcoming }, before) => {
    if (isLoading === before.isLoading && page === before.page) return;
    clearTimeout(timer);
    if (isLoading || page !== "timeline") return;
    const ms = rereadAfter(upcoming, { now: Date.now(), changedAt: lastChange() });
    if (ms === undefined) return;
    timer = setTimeout(() => {
      if (!signal.aborted) void reload();
    }, ms);
  });
}

/**
 * Reads the page again after changes of the guild.
 * @param {App} app
 * @param {() => Promise<void>} reload
 * @param {(problem: string) => void} end
 * @param {AbortSignal} signal
 */
function followGuild(app, reload, end, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let changedAt = 0;
  const { store } = app;
  rereadPosts(app, reload, () => changedAt, signal);
  void followChanges(
    app.api,
    {
      onChange: () => {
        changedAt = Date.now();
        timer ??= setTimeout(() => {
          timer = undefined;
          if (!signal.aborted) void reload();
        }, RELOAD_DELAY_MS);
      },
      onConnection: (connection) => {
        const before = store.state.connection;
        if (before === connection) return;
        store.update({ connection });
        if (before === "lost") app.announce(app.t("connection_back"));
      },
      onRefused: (error) => end(error.message),
    },
    signal,
  );
}

/**
 * Continues the session of this tab. While the service does not respond, it tries again.
 * @param {Session} stored
 */
async function resume(stored) {
  const parts = chrome(() => {});
  try {
    start(stored, await accessOf(new Api(stored.key, stored.guild)));
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (!error.isOutage && error.status !== 429) {
      forgetSession();
      return showSignIn({ guild: stored.guild, problem: error.message });
    }
    replaceContent(root, headerView(parts), element("main", { role: "status" }, parts.t("connection_lost")));
    setTimeout(() => void resume(stored), RETRY_MS);
  }
}

applyPreferences();
const stored = storedSession();
if (stored === undefined) showSignIn({});
else void resume(stored);
