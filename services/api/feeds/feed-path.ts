/** The path of a feed in metrics, traces and the API document, without its token. */
export const FEED_ROUTE = "/v2/calendar/feed/{token}.ics";

const FEED_PATH = /^(?:\/api)?\/v2\/calendar\/feed\/([^/]+)\.ics$/;
/** Matches mistyped addresses of feeds, too. */
const FEED_PREFIX = /^((?:\/api)?\/v2\/calendar\/feed\/).*$/s;

export function feedPath(token: string): string {
  return FEED_ROUTE.replace("{token}", token);
}

/** The token in a path; undefined if the path is not that of a feed. */
export function tokenIn(path: string): string | undefined {
  return FEED_PATH.exec(path)?.[1];
}

/** The path without the token of a feed, which is a secret. */
export function withoutToken(path: string): string {
  return path.replace(FEED_PREFIX, "$1-");
}
