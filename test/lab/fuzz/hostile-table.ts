import { HOSTILE_ADDRESSES } from "./hostile-addresses.ts";
import { HOSTILE_CALENDARS } from "./hostile-calendars.ts";
import { HOSTILE_RULES } from "./hostile-rules.ts";
import type { HostileRow } from "./hostile-row.ts";

/** The rows of `npm run fuzz`, beside the generated requests. */
export const HOSTILE_ROWS: readonly HostileRow[] = [...HOSTILE_CALENDARS, ...HOSTILE_RULES, ...HOSTILE_ADDRESSES];
