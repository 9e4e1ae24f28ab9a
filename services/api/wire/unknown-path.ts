import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
import { nearestName } from "./nearest-name.ts";

/** Largest number of wrong characters for which a path is suggested; also at most a third of the path: `/foo` is not like `/docs`. */
const MAX_TYPOS = 4;

const ALIAS_PREFIX = "/api";

/** The refusal of an unknown path. It suggests the nearest known path, and repeats nothing of the given one. */
export function unknownPath(path: string, knownPaths: readonly string[]): Refusal {
  const prefix = path.startsWith(`${ALIAS_PREFIX}/`) ? ALIAS_PREFIX : "";
  const unprefixed = path.slice(prefix.length);
  const nearest = nearestName(unprefixed, knownPaths, Math.min(MAX_TYPOS, Math.floor(unprefixed.length / 3)));
  if (nearest === undefined) return refuse("ROUTE_NOT_FOUND");
  return refuse("ROUTE_NOT_FOUND", undefined, `${ERRORS.ROUTE_NOT_FOUND.message}; did you mean ${prefix}${nearest}?`);
}
