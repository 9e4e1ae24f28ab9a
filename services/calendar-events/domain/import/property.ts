/** A property of iCalendar (RFC 5545, section 3.1). Names and parameter names are in upper case. */
export interface Property {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  /** The value as it is written, escaped. */
  readonly value: string;
}

/** `;NAME=value`; a value in quotation marks may contain `:`, `;` and `,`. */
const PARAMETER = /;([^=;:,"]+)=("[^"]*"|[^;:"]*)/y;
const NAME = /[A-Za-z0-9-]+/y;

/** Parses an unfolded content line; undefined for a line of another form. */
export function readProperty(line: string): Property | undefined {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return undefined;
  const params = new Map<string, string>();
  let at = name.length;
  for (;;) {
    PARAMETER.lastIndex = at;
    const parameter = PARAMETER.exec(line);
    if (parameter === null) break;
    const [whole, key = "", value = ""] = parameter;
    params.set(key.toUpperCase(), value.startsWith('"') ? value.slice(1, -1) : value);
    at += whole.length;
  }
  if (line[at] !== ":") return undefined;
  return { name: name.toUpperCase(), params, value: line.slice(at + 1) };
}

/** The properties of a component, whose lines a line feed separates; lines of another form are left out. */
export function readProperties(component: string): Property[] {
  return component.split("\n").flatMap((line) => readProperty(line) ?? []);
}

/** The text of an escaped value (RFC 5545, section 3.3.11). */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, escaped: string) =>
    escaped === "n" || escaped === "N" ? "\n" : escaped,
  );
}
