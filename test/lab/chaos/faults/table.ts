import { CLOCKS } from "./clocks.ts";
import { EDITS } from "./edits.ts";
import type { Fault } from "./fault.ts";
import { KILLS } from "./kills.ts";
import { OUTAGES } from "./outages.ts";
import { RECEIVER } from "./receiver.ts";

/** All faults. */
export const FAULTS: readonly Fault[] = [...KILLS, ...CLOCKS, ...OUTAGES, ...EDITS, ...RECEIVER];
