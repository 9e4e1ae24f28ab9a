import { CLOCKS } from "./clocks.ts";
import { EDITS } from "./edits.ts";
import type { Fault } from "./fault.ts";
import { KILLS } from "./kills.ts";
import { OUTAGES } from "./outages.ts";
import { RECEIVER } from "./receiver.ts";

/** The whole table. */
export const FAULTS: readonly Fault[] = [...KILLS, ...CLOCKS, ...OUTAGES, ...EDITS, ...RECEIVER];
