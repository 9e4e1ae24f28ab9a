import { printLines } from "./line.ts";
import { benchListing } from "./listing.bench.ts";
import { benchRecurrence } from "./recurrence.bench.ts";

/** `npm run bench:calendar`: a line for each question, `ok` or `MISS`; ends with 1 when a ratio is missed. */
console.log("Windows a second, the rule built anew for each; how many times as many ours are than each of the others:");
const recurrence = benchRecurrence();
printLines(recurrence);
const listing = await benchListing();
printLines(listing);
process.exitCode = [...recurrence, ...listing].every(({ held }) => held) ? 0 : 1;
