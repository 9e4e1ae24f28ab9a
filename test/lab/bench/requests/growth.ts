import { fillEvents, GUILD, SETTLED_GUILDS, WEEK, WEEKS_EVENTS } from "./bench-data.ts";
import { type Bound, compareRow, comparison, type Comparison } from "./compare.ts";
import type { Sample } from "./measure.ts";
import { paceOf, type Row } from "./rows.ts";
import { databaseNamed, type Stage } from "./stage.ts";
import { startGuildcal, type Subject } from "./subjects.ts";

/** The same answers, whatever else there is; what three servers do beside them is seen in a round of half a second. */
const SAME: readonly Row[] = [
  {
    name: "events/get",
    path: "/v2/events/get",
    bodies: WEEKS_EVENTS.slice(0, 8).map((event_id) => ({ guild_id: GUILD, calendar_number: 1, event_id })),
    beside: [],
    longer: 2,
  },
  {
    name: "events/list/date, 8 entries",
    path: "/v2/events/list/date",
    bodies: [{ guild_id: GUILD, calendar_number: 1, epoch_start: WEEK.from }],
    beside: [],
    longer: 2,
  },
  {
    name: "guild/settings/get",
    path: "/v2/guild/settings/get",
    bodies: SETTLED_GUILDS.map((guild_id) => ({ guild_id })),
    beside: [],
    longer: 8,
  },
];

const BOUNDS: readonly Bound[] = [{ figure: "cpu", most: 1.2 }];
const SIZES = [
  { name: "10 guilds", guilds: 10, events: 10 },
  { name: "1 000 guilds", guilds: 1_000, events: 10 },
  { name: "100 000 events", guilds: 1, events: 100_000 },
] as const;

/** What a request costs where there is much of everything, beside where there is little. */
export async function growth({ given, loader, pace, wants, up }: Stage): Promise<Comparison[]> {
  const sized: Subject[] = [];
  for (const { name, guilds, events } of SIZES) {
    const mongoUrl = databaseNamed(given.mongoUrl, name.replaceAll(" ", "_"));
    await fillEvents(mongoUrl, guilds, events);
    sized.push(await up(startGuildcal({ ...given, mongoUrl }, name)));
  }
  const [few, manyGuilds, manyEvents] = sized as [Subject, Subject, Subject];
  const comparisons: Comparison[] = [];
  for (const row of SAME.filter(wants)) {
    for (const large of [manyGuilds, manyEvents]) {
      const named = { ...row, name: `${large.name}: ${row.name}` };
      comparisons.push(...(await compareRow(loader, named, large, [[few, BOUNDS]], pace)));
    }
    const ours: Sample[] = [];
    const theirs: Sample[] = [];
    for (let round = 0; round < pace.rounds; round += 1) {
      ours.push(await loader.run(few, row, { ...paceOf(row, pace), connections: 1_000 }));
      theirs.push(await loader.run(few, row, { ...pace, connections: 1 }));
    }
    comparisons.push(comparison(`1 000 connections: ${row.name}`, "1 connection", ours, theirs, BOUNDS));
  }
  return comparisons;
}
