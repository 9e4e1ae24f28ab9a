import { databaseNamed } from "../requests/subjects.ts";
import type { Section } from "../table/section.ts";
import { medianRow } from "../table/table-row.ts";
import { notificationRound, type NotificationRound, type Starts } from "./notification-round.ts";

const NAME = "notifications";
const ROW = "50 starts a second";
const STARTS: Starts = { occurrences: 1_000, spreadMs: 20_000, guilds: 200, warmUpMs: 5_000, leadMs: 60_000 };

const FIGURES = [
  { figure: "received p50", bound: {}, of: ({ received }: NotificationRound) => received.p50 },
  { figure: "received p99", bound: { most: 250 }, of: ({ received }: NotificationRound) => received.p99 },
  { figure: "stored p50", bound: {}, of: ({ stored }: NotificationRound) => stored.p50 },
  { figure: "stored p99", bound: {}, of: ({ stored }: NotificationRound) => stored.p99 },
] as const;

/** The lateness of `occurrence.started` (D59). */
export const NOTIFICATIONS: Section = {
  name: NAME,
  heading: NAME,
  rowNames: [ROW],
  hasServerCpu: false,

  async measure({ given, pace, isChosen }) {
    if (!isChosen(ROW)) return { rows: [], figures: {} };
    const rounds: NotificationRound[] = [];
    while (rounds.length < pace.rounds) {
      rounds.push(await notificationRound(databaseNamed(given.mongoUrl, `starts_${Date.now()}`), STARTS));
    }
    const rows = FIGURES.map(({ figure, bound, of }) =>
      medianRow({ row: `${NAME}: ${ROW}`, figure, unit: " ms", bound, rounds: rounds.map(of), detail: "" }),
    );
    return { rows, figures: { [ROW]: rounds } };
  },
};
