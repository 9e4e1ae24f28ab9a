/** An iCalendar body that is made of a calendar's file. */
export interface ComposedBody {
  readonly body: string;
  /** The line of the file for a line of the body. */
  readonly lineInFile: (line: number) => number;
  /** The ids of DisCal for the lines of BEGIN of VEVENTs in the body. */
  readonly idsByLine: ReadonlyMap<number, string>;
}

interface EventLines {
  readonly id: string;
  readonly isOccurrence: boolean;
  /** The places of BEGIN and END. */
  readonly from: number;
  readonly until: number;
}

/** The file with an IMAGE (RFC 7986) in the VEVENT of each event that has one in DisCal. */
export function withImages(text: string, images: ReadonlyMap<string, string>): ComposedBody {
  const lines = text.split(/\r?\n/);
  const insertions = new Map<number, string>();
  for (const { id, isOccurrence, from } of eventsIn(lines)) {
    const image = images.get(id);
    if (image !== undefined && !isOccurrence) insertions.set(from, `IMAGE;VALUE=URI:${image}`);
  }
  return compose(lines, (line, at) => [line, ...[insertions.get(at)].filter((image) => image !== undefined)]);
}

/** The file with only those VEVENTs that belong to the given events. */
export function onlyEvents(text: string, ids: ReadonlySet<string>): ComposedBody {
  const lines = text.split(/\r?\n/);
  const dropped = new Set<number>();
  for (const { id, isOccurrence, from, until } of eventsIn(lines)) {
    if (ids.has(id) && !isOccurrence) continue;
    for (let at = from; at <= until; at += 1) dropped.add(at);
  }
  return compose(lines, (line, at) => (dropped.has(at) ? [] : [line]));
}

/** The ids of the events of the file. */
export function eventIdsIn(text: string): ReadonlySet<string> {
  const events = eventsIn(text.split(/\r?\n/)).filter(({ isOccurrence }) => !isOccurrence);
  return new Set(events.map(({ id }) => id));
}

/** The name and the time zone of the calendar, as Google and others write them. */
export function calendarProperties(text: string): { readonly name?: string; readonly timezone?: string } {
  const value = (property: string) => new RegExp(`^${property}:(.{1,500}?)\\r?$`, "m").exec(text)?.[1]?.trim();
  const [name, timezone] = [value("X-WR-CALNAME"), value("X-WR-TIMEZONE")];
  return {
    ...(name === undefined ? {} : { name: name.replaceAll(/\\([,;\\])/g, "$1") }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

function compose(lines: readonly string[], replaced: (line: string, at: number) => readonly string[]): ComposedBody {
  const body: string[] = [];
  const origins: number[] = [];
  for (const [at, line] of lines.entries()) {
    for (const each of replaced(line, at)) {
      body.push(each);
      origins.push(at + 1);
    }
  }
  const events = eventsIn(body).filter(({ isOccurrence }) => !isOccurrence);
  return {
    body: body.join("\r\n"),
    lineInFile: (line) => origins[line - 1] ?? line,
    idsByLine: new Map(events.map(({ from, id }) => [from + 1, id])),
  };
}

function eventsIn(lines: readonly string[]): EventLines[] {
  const events: EventLines[] = [];
  let from: number | undefined;
  let id = "";
  let isOccurrence = false;
  let depth = 0;
  for (const [at, line] of lines.entries()) {
    if (/^BEGIN:/i.test(line)) {
      depth += 1;
      if (depth === 2 && /^BEGIN:VEVENT\s*$/i.test(line)) [from, id, isOccurrence] = [at, "", false];
    } else if (/^END:/i.test(line)) {
      if (depth === 2 && from !== undefined) {
        events.push({ id, isOccurrence, from, until: at });
        from = undefined;
      }
      depth -= 1;
    } else if (depth === 2 && from !== undefined) {
      if (/^UID[:;]/i.test(line)) id = eventIdOf(unfolded(lines, at));
      else if (/^RECURRENCE-ID[:;]/i.test(line)) isOccurrence = true;
    }
  }
  return events;
}

/** Longest UID that is joined, in lines. */
const MAX_FOLDS = 10;

function unfolded(lines: readonly string[], at: number): string {
  let text = lines[at] as string;
  for (let next = at + 1; next <= at + MAX_FOLDS && /^[ \t]/.test(lines[next] ?? ""); next += 1) {
    text += (lines[next] as string).slice(1);
  }
  return text;
}

/** DisCal's id of an event, which is Google's: its UID without Google's domain. */
function eventIdOf(line: string): string {
  return line
    .slice(line.indexOf(":") + 1)
    .trim()
    .replace(/@google\.com$/i, "");
}
