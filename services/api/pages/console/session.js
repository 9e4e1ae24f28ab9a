/** @typedef {{ key: string, guild: string }} Session */

/** Items of the session storage, which lasts until the tab is closed (D56). */
const ITEM = "guildcal-console";
const PREFERENCES = "guildcal-console-preferences";

/**
 * The key and the guild of this tab.
 * @returns {Session | undefined}
 */
export function storedSession() {
  const { key, guild } = read(ITEM);
  return typeof key === "string" && typeof guild === "string" ? { key, guild } : undefined;
}

/** @param {Session} session */
export const storeSession = ({ key, guild }) => sessionStorage.setItem(ITEM, JSON.stringify({ key, guild }));

export const forgetSession = () => sessionStorage.removeItem(ITEM);

/** The language, the theme and the choices of the calendar in this tab. */
export const storedPreferences = () => read(PREFERENCES);

/** @param {Record<string, unknown>} preferences */
export const storePreferences = (preferences) => sessionStorage.setItem(PREFERENCES, JSON.stringify(preferences));

/**
 * @param {string} item
 * @returns {Record<string, unknown>}
 */
function read(item) {
  try {
    return Object(JSON.parse(sessionStorage.getItem(item) ?? "{}"));
  } catch {
    return {};
  }
}
