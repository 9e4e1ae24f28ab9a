import type { HostileRow, HostileStage, Outcome } from "./hostile-row.ts";

const START = "DTSTART:20300101T100000Z";

function vcalendar(lines: string): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${lines}END:VCALENDAR\r\n`;
}

function vevent(uid: string | number, ...lines: readonly string[]): string {
  return `BEGIN:VEVENT\r\nUID:${uid}\r\n${lines.map((line) => `${line}\r\n`).join("")}END:VEVENT\r\n`;
}

/** As many parts as there are numbers from 0 on. */
function repeated(count: number, part: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => part(at)).join("");
}

/** The counts of an import that are not 0, and the number of VEVENTs by reason. */
interface Imported {
  readonly counts: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, number>>;
}

const OUTCOMES = ["created", "updated", "deleted", "unchanged", "skipped"] as const;

async function imported({ importCalendar }: HostileStage, body: string, expected: Imported): Promise<Outcome> {
  const reply = await importCalendar(body);
  const { complete, reasons } = reply.body;
  if (reply.status !== 200 || complete !== true) return { expected, received: reply };
  const counts = OUTCOMES.flatMap((outcome) => (reply.body[outcome] === 0 ? [] : [[outcome, reply.body[outcome]]]));
  const all = (reasons as { readonly reason: string; readonly count: number }[]).map((of) => [of.reason, of.count]);
  return { expected, received: { counts: Object.fromEntries(counts), reasons: Object.fromEntries(all) } };
}

/** A 400 that names the body, with this message. */
async function refused({ importCalendar }: HostileStage, body: string, message: string): Promise<Outcome> {
  const reply = await importCalendar(body);
  const errors = (reply.body["errors"] ?? []) as { readonly field: string; readonly message: string }[];
  const received = [reply.status, ...errors.map((error) => [error.field, error.message])];
  return { expected: [400, ["body", message]], received };
}

const created = (count: number, reasons: Imported["reasons"] = {}): Imported => ({
  counts: { created: count },
  reasons,
});
const skipped = (reason: string, count: number): Imported => ({
  counts: { skipped: count },
  reasons: { [reason]: count },
});

const NO_CALENDAR = "must begin with BEGIN:VCALENDAR (RFC 5545)";
/** A declaration of ten entities, of which each repeats the one before it. */
const ENTITIES = `<!DOCTYPE a [<!ENTITY l0 "lol">${repeated(9, (at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`)}]>`;
const SWAPPED = 24;
const hourOf = (at: number) => `20300101T${String(at % SWAPPED).padStart(2, "0")}0000Z`;
/** A rule whose last date is found by a walk over 8 000 years. */
const COSTLY = "RRULE:FREQ=MONTHLY;BYMONTHDAY=29;BYDAY=FR;COUNT=10000";

/** Bodies of imports (D52). */
export const HOSTILE_CALENDARS: readonly HostileRow[] = [
  {
    name: "a million folded lines in a DESCRIPTION",
    attack: (stage) =>
      imported(
        stage,
        vcalendar(vevent(1, START, `DESCRIPTION:a${"\r\n b".repeat(stage.many)}`)),
        created(1, { TEXT_CUT: 1 }),
      ),
  },
  {
    name: "a million folded lines in an RRULE",
    attack: (stage) =>
      imported(
        stage,
        vcalendar(vevent(1, START, `RRULE:FREQ=DAILY;BYMONTHDAY=1${"\r\n ,1".repeat(stage.many)}`)),
        skipped(stage.many > 10_000 ? "TOO_LARGE" : "INVALID_RULE", 1),
      ),
  },
  {
    name: "a rule of a million EXDATEs in one line",
    attack: (stage) =>
      imported(
        stage,
        vcalendar(vevent(1, START, "RRULE:FREQ=DAILY", `EXDATE;VALUE=DATE:${"20300102,".repeat(stage.many)}20300103`)),
        skipped("TOO_MANY_EXCEPTIONS", 1),
      ),
  },
  {
    name: "a rule of 250 000 EXDATEs in a line each, beside another event",
    attack: (stage) =>
      imported(
        stage,
        vcalendar(
          vevent(
            1,
            START,
            "RRULE:FREQ=DAILY",
            Array(stage.many / 4)
              .fill("EXDATE:20300102T100000Z")
              .join("\r\n"),
          ) + vevent(2, START),
        ),
        { counts: { created: 1, skipped: 1 }, reasons: { TOO_MANY_EXCEPTIONS: 1 } },
      ),
  },
  {
    name: "a costly rule with a thousand EXDATEs, which cancel its occurrences",
    takesWholeImport: true,
    async attack({ importCalendar }) {
      const cancelled = `EXDATE:${repeated(1_100, (at) => `${2100 + at}0129T100000Z,`)}`;
      const { status, body } = await importCalendar(
        vcalendar(vevent(1, "DTSTART:19800229T100000Z", COSTLY, cancelled)),
      );
      const { complete, created: count, updated } = body;
      // Occurrences that are cancelled in a further call of the owner are an update of the new series.
      return { expected: [200, true, 1], received: [status, complete, (count as number) + (updated as number)] };
    },
  },
  {
    name: "a rule of 24 times a day with two thousand EXDATEs of a day",
    attack(stage) {
      const hours = Array.from({ length: 24 }, (_, hour) => hour).join();
      const day = (at: number) => new Date(Date.UTC(2030, 0, 2 + at)).toISOString().slice(0, 10).replaceAll("-", "");
      const days = Array.from({ length: 2_000 }, (_, at) => day(at)).join();
      const lines = ["DTSTART:20300101T000000Z", `RRULE:FREQ=DAILY;BYHOUR=${hours}`, `EXDATE;VALUE=DATE:${days}`];
      return imported(stage, vcalendar(vevent(1, ...lines)), skipped("TOO_MANY_EXCEPTIONS", 1));
    },
  },
  {
    name: "two thousand costly rules",
    takesWholeImport: true,
    async attack({ importCalendar, many }) {
      const rules = Math.max(5, many / 500);
      const reply = await importCalendar(
        vcalendar(repeated(rules, (at) => vevent(at, "DTSTART:19800229T100000Z", COSTLY))),
      );
      const { complete, created: count, skipped: none } = reply.body;
      const isAll = complete === true && count === rules;
      // An import that has taken 45 seconds ends; the same body again continues.
      const isPart = complete === false && (count as number) > 0;
      return { expected: [200, true, 0], received: [reply.status, isAll || isPart, none] };
    },
  },
  {
    name: "XML with entities that expand to a billion",
    attack: (stage) => refused(stage, `${ENTITIES}<a>${"&l9;".repeat(stage.many)}</a>`, NO_CALENDAR),
  },
  {
    name: "entities in texts, which stay as they are",
    async attack(stage) {
      const text = `${ENTITIES.slice(0, 100)}&l9;&amp;`;
      const outcome = await imported(
        stage,
        vcalendar(vevent(1, START, `SUMMARY:${text.replaceAll(";", "\\;")}`)),
        created(1),
      );
      const where = { guild_id: stage.guild, calendar_number: 1, epoch_start: 0, epoch_end: 2 ** 41 };
      const { events } = (await stage.post("/v2/events/list/range", where)).body;
      const names = (events as { readonly name: string }[]).map(({ name }) => name);
      return { expected: [outcome.expected, [text]], received: [outcome.received, names] };
    },
  },
  {
    name: "a cycle of RECURRENCE-IDs: each occurrence is moved to the time of the next one",
    async attack(stage) {
      const series = vevent(1, "DTSTART:20300101T000000Z", "RRULE:FREQ=DAILY;COUNT=24");
      const day = (at: number) => `203001${String((at % SWAPPED) + 1).padStart(2, "0")}T000000Z`;
      const overrides = repeated(SWAPPED, (at) =>
        vevent(1, `RECURRENCE-ID:${day(at)}`, `DTSTART:${day(at + 1)}`, `SUMMARY:${at}`),
      );
      const outcome = await imported(stage, vcalendar(overrides + series), created(1 + SWAPPED));
      const where = { guild_id: stage.guild, calendar_number: 1, epoch_start: 0, epoch_end: 2 ** 41 };
      const { events } = (await stage.post("/v2/events/list/range", where)).body;
      return { expected: [outcome.expected, SWAPPED], received: [outcome.received, (events as unknown[]).length] };
    },
  },
  {
    name: "50 000 RECURRENCE-IDs in a cycle, of UIDs without a series",
    attack: (stage) => {
      const count = stage.many / 20;
      const body = repeated(count, (at) =>
        vevent(
          at % 100,
          `RECURRENCE-ID:${2000 + Math.floor(at / 100)}0101T100000Z`,
          `DTSTART:${hourOf(at)}`,
          `RELATED-TO:${(at + 1) % 100}`,
        ),
      );
      return imported(stage, vcalendar(body), skipped("NO_SERIES", count));
    },
  },
  {
    name: "50 000 VEVENTs with one UID",
    attack: (stage) => {
      const count = stage.many / 20;
      return imported(stage, vcalendar(vevent(1, START).repeat(count)), {
        counts: { created: 1, skipped: count - 1 },
        reasons: { DUPLICATE: count - 1 },
      });
    },
  },
  {
    name: "50 001 VEVENTs",
    attack: (stage) =>
      refused(stage, vcalendar("BEGIN:VEVENT\r\nEND:VEVENT\r\n".repeat(50_001)), "must have at most 50000 VEVENTs"),
  },
  {
    name: "1 000 time zones without a name, in all years",
    attack: (stage) => {
      const zones = repeated(Math.max(4, stage.many / 1_000), (at) => {
        const observance = repeated(
          20,
          (onset) =>
            `BEGIN:STANDARD\r\nDTSTART:19${70 + onset}0601T020000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0${onset % 10}17\r\nRRULE:FREQ=YEARLY;BYDAY=SU\r\nEND:STANDARD\r\n`,
        );
        return `BEGIN:VTIMEZONE\r\nTZID:Own ${at}\r\n${observance}END:VTIMEZONE\r\n`;
      });
      const count = stage.many / 500;
      const events = repeated(count, (at) =>
        vevent(at, `DTSTART;TZID=Own ${at % Math.max(4, stage.many / 1_000)}:${2000 + at}0101T100000`),
      );
      return imported(stage, vcalendar(zones + events), skipped("UNKNOWN_TIME_ZONE", count));
    },
  },
  {
    name: "addresses in texts, which nobody requests",
    async attack(stage) {
      stage.server.respond((_request, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
      const { url } = stage.server;
      const image = [`IMAGE;VALUE=URI:${url}`, `ATTACH;FMTTYPE=image/png:${url}`];
      const alarm = ["BEGIN:VALARM", `ATTACH:${url}`, "END:VALARM"];
      const lines = [START, `URL:${url}`, ...image, `CONFERENCE:${url}`, ...alarm];
      const outcome = await imported(stage, vcalendar(vevent(1, ...lines)), created(1));
      return { expected: [outcome.expected, 0], received: [outcome.received, stage.server.requests.length] };
    },
  },
  {
    name: "ten megabytes without a line break",
    attack: (stage) => refused(stage, "BEGIN:VCALENDAR ".repeat((stage.many * 10) / 16), NO_CALENDAR),
  },
  {
    name: "ten megabytes of line breaks",
    attack: (stage) => refused(stage, "\r\n".repeat(stage.many * 5), NO_CALENDAR),
  },
  {
    name: "a million nested components",
    attack: (stage) =>
      refused(
        stage,
        `BEGIN:VCALENDAR\r\n${"BEGIN:X\r\n".repeat(stage.many)}`,
        "must have at most 10 levels of components: line 11 has more",
      ),
  },
];
