import { benchListing } from "./listing.bench.ts";
import { benchRecurrence } from "./recurrence.bench.ts";

/** `npm run bench:calendar`: a line for each question, `ok` or `MISS`; ends with 1 when a ratio is missed. */
console.log("Windows a second, the rule built anew for each; how many times as many ours are than each of the others:");
const recurrence = benchRecurrence();
const listing = await benchListing();
process.exitCode = recurrence && listing ? 0 : 1;
