import type { HostileRow, HostileStage, Outcome } from "./hostile-row.ts";

const NOON = Date.UTC(1980, 1, 29, 12);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at).join(",");

async function create({ post, guild }: HostileStage, recurrence: object) {
  const times = { epoch_start: NOON, epoch_end: NOON + 60_000 };
  return post("/v2/events/create", { guild_id: guild, calendar_number: 1, ...times, recur: true, recurrence });
}

/** Each rule is a 400 that names the field. */
async function refuses(stage: HostileStage, field: string, rules: readonly object[]): Promise<Outcome> {
  const received: unknown[] = [];
  for (const rule of rules) {
    const { status, body } = await create(stage, rule);
    const fields = ((body["errors"] ?? []) as { readonly field: string }[]).map((error) => error.field);
    received.push([status, [...new Set(fields)]]);
  }
  return { expected: rules.map(() => [400, [field]]), received };
}

/** Texts of rules in a create (D45). */
export const HOSTILE_RULES: readonly HostileRow[] = [
  {
    name: "RRULE texts of many parts and long lists",
    attack: (stage) =>
      refuses(
        stage,
        "recurrence.rrule",
        [
          "FREQ=DAILY;".repeat(Math.min(stage.many / 20, 5_000)),
          ";".repeat(500),
          `FREQ=DAILY;${"COUNT=2;".repeat(60)}`,
          `FREQ=YEARLY;BYMONTHDAY=${"1,".repeat(200)}1`,
          `FREQ=YEARLY;BYDAY=${"MO,".repeat(60)}MO`,
          `FREQ=YEARLY;BYMONTH=${numbers(1, 13)}`,
          `FREQ=YEARLY;BYSETPOS=${numbers(1, 51)};BYDAY=MO`,
          "FREQ=SECONDLY",
          "FREQ=YEARLY;BYWEEKNO=53;BYHOUR=24;BYMINUTE=60;BYSECOND=60",
          `FREQ=DAILY;COUNT=${"9".repeat(400)}`,
          `FREQ=DAILY;BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)}`,
          "FREQ=DAILY;BYSECOND=60",
          "FREQ=DAILY;INTERVAL=1e3",
          "FREQ=DAILY;UNTIL=99999999T999999Z",
          `FREQ=${"=".repeat(400)}`,
          "FREQ=DAILY\r\n ;COUNT=2",
          "FREQ=DAILY;\u0130NTERVAL=2",
        ].map((rrule) => ({ rrule })),
      ),
  },
  {
    name: "lists of members beyond their bounds",
    attack: (stage) =>
      refuses(stage, "recurrence.ex_dates", [
        { frequency: "DAILY", ex_dates: Array.from({ length: 101 }, (_, at) => NOON + at) },
      ]),
  },
  {
    name: "the costliest sets of BYSETPOS, and rules with rare dates",
    async attack(stage) {
      const rules = [
        `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=60,${numbers(70, 118)};COUNT=10000`,
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=10000",
        "FREQ=WEEKLY;BYDAY=FR;BYSETPOS=1;BYMONTH=2;INTERVAL=52;COUNT=10000",
        "FREQ=MONTHLY;BYMONTHDAY=29;BYDAY=FR;COUNT=10000",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR;COUNT=10000",
        "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29;COUNT=10000",
        // 29 February at noon is the 355th of six times on each day.
        `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=12;BYMINUTE=${numbers(0, 5)};BYSETPOS=355,${numbers(-48, -1)};COUNT=10000`,
      ];
      const received: unknown[] = [];
      for (const rrule of rules) received.push((await create(stage, { rrule })).status);
      return { expected: rules.map(() => 200), received };
    },
  },
];
