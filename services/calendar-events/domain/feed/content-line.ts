/** Maximum number of octets of a line, without its line break (RFC 5545, section 3.1). */
const MAX_OCTETS = 75;
/** A UTF-16 unit is at most three octets in UTF-8. */
const MAX_UNFOLDED_LENGTH = MAX_OCTETS / 3;

/** One property of iCalendar with its line break, folded if it is too long. The value is escaped by its caller. */
export function contentLine(name: string, value: string): string {
  return `${fold(`${name}:${value}`)}\r\n`;
}

/** The property of a text (RFC 5545, section 3.3.11). */
export function textLine(name: string, text: string): string {
  return contentLine(name, escapeText(text));
}

/** A component: its lines between BEGIN and END. */
export function component(name: string, lines: string): string {
  return `BEGIN:${name}\r\n${lines}END:${name}\r\n`;
}

/** Folds a line at 75 octets; a continuation line begins with a space. No character is split. */
function fold(line: string): string {
  if (line.length <= MAX_UNFOLDED_LENGTH) return line;
  let folded = "";
  let from = 0;
  let octets = 0;
  for (let at = 0; at < line.length;) {
    const code = line.codePointAt(at) ?? 0;
    const size = octetsOf(code);
    if (octets + size > MAX_OCTETS) {
      folded += `${line.slice(from, at)}\r\n `;
      from = at;
      octets = 1;
    }
    octets += size;
    at += code > 0xffff ? 2 : 1;
  }
  return folded + line.slice(from);
}

function octetsOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const LINE_BREAK = "\\n";
const ESCAPED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  ";": "\\;",
  ",": "\\,",
  "\n": LINE_BREAK,
  "\r": LINE_BREAK,
  "\r\n": LINE_BREAK,
  "\v": LINE_BREAK,
  "\f": LINE_BREAK,
  "\x85": LINE_BREAK,
  "\u2028": LINE_BREAK,
  "\u2029": LINE_BREAK,
};
/** Every kind of line break is escaped as `\n`, since some readers end a line at any of them. Other control characters are removed. */
const SPECIAL = /\r\n|[\\;,\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]/g;

function escapeText(text: string): string {
  return text.replaceAll(SPECIAL, (found) => ESCAPED[found] ?? "");
}
