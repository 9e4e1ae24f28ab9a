import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
import { nearestName } from "./nearest-name.ts";

/** A slip is at most this many characters, and at most a third of the path: `/foo` is no misspelt `/docs`. */
const MAX_SLIPS = 4;

const PREFIX = "/api";

/** The refusal of a path that leads nowhere. It names the nearest path that exists, and repeats nothing of the given one. */
export function unknownPath(path: string, known: readonly string[]): Refusal {
  const prefix = path.startsWith(`${PREFIX}/`) ? PREFIX : "";
  const wanted = path.slice(prefix.length);
  const nearest = nearestName(wanted, known, Math.min(MAX_SLIPS, Math.floor(wanted.length / 3)));
  if (nearest === undefined) return refuse("ROUTE_NOT_FOUND");
  return refuse("ROUTE_NOT_FOUND", undefined, `${ERRORS.ROUTE_NOT_FOUND.message}; did you mean ${prefix}${nearest}?`);
}
