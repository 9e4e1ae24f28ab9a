import { clearable, oneOf, text } from "./field-rules.ts";

/** The layout of the messages of an announcement (D61). An absent part is as without a template. */
export interface MessageTemplate {
  /** The title of the embed, with placeholders. */
  readonly title?: string;
  /** The description of the embed, with placeholders, in place of the event's description. */
  readonly body?: string;
  /** The parts of the embed that are shown; all of them if absent. */
  readonly fields?: readonly TemplateField[];
}

/** A template in a request: a null part is an absent one. */
type GivenTemplate = { readonly [Part in keyof MessageTemplate]?: MessageTemplate[Part] | null | undefined };

/** The parts that are given. The check of params adds members that are undefined. */
export function givenParts(template: GivenTemplate | null | undefined): MessageTemplate | undefined {
  if (template === null || template === undefined) return undefined;
  const given = Object.entries(template).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(given);
}

/** The parts of the embed that a template can omit. */
export const TEMPLATE_FIELDS = ["TIMES", "LOCATION", "INFO", "IMAGE", "IDS"] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];

/** The placeholders by their names, with the texts that they stand for. */
export const PLACEHOLDERS = {
  name: "Name of the event",
  description: "Description of the event",
  location: "Location of the event",
  info: "`info` of the announcement",
  calendar: "Name of the event's calendar",
  guild: "Name of the guild; only with the sink `discord`",
  start: "Start: date, time and time zone; for an all-day event the first day",
  "start:date": "Date of the start",
  "start:time": "Time of the start; empty for an all-day event",
  "start:local": "Start in the time zone and language of each reader",
  "start:relative": "Time until the start, such as “in 2 hours”, in the language of each reader",
  end: "End: date, time and time zone; for an all-day event the last day",
  "end:date": "Date of the end",
  "end:time": "Time of the end; empty for an all-day event",
  "end:local": "End in the time zone and language of each reader",
  "end:relative": "Time until the end, in the language of each reader",
  duration: "Length of the event, such as “1 hour 30 minutes”",
  occurrence_number: "Number of the occurrence in its series, from 1; empty for a single event, and from 10 001 on",
  offset: "Time between the post and the instant it counts from, such as “10 minutes”",
} as const;
export type PlaceholderName = keyof typeof PLACEHOLDERS;

/** A part of a parsed text: literal text, or a placeholder. */
export type TemplatePart = string | { readonly placeholder: PlaceholderName };

/** A text that is not a template. */
export interface TemplateProblem {
  readonly kind: "unknown placeholder" | "unclosed brace" | "unopened brace";
  /** The number of the character, from 1; a surrogate pair is one character. */
  readonly position: number;
}

export type ParsedTemplate = { readonly parts: readonly TemplatePart[] } | { readonly problem: TemplateProblem };

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/** Parses a text with placeholders such as `{start:date}`. `{{` and `}}` stand for literal braces. */
export function parseTemplate(source: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let literal = "";
  let end = 0;
  for (const { 0: token, 1: name, index } of source.matchAll(TOKEN)) {
    literal += source.slice(end, index);
    end = index + token.length;
    const problem = (kind: TemplateProblem["kind"]) => ({
      problem: { kind, position: Array.from(source.slice(0, index)).length + 1 },
    });
    if (token === "{{" || token === "}}") literal += token[0];
    else if (token === "{") return problem("unclosed brace");
    else if (token === "}") return problem("unopened brace");
    else if (!isPlaceholder(name)) return problem("unknown placeholder");
    else {
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push({ placeholder: name });
    }
  }
  literal += source.slice(end);
  return { parts: literal === "" ? parts : [...parts, literal] };
}

function isPlaceholder(name: string | undefined): name is PlaceholderName {
  return name !== undefined && Object.hasOwn(PLACEHOLDERS, name);
}

/** Whether a part of a template has a placeholder. */
export function usesPlaceholder(template: MessageTemplate | undefined, name: PlaceholderName): boolean {
  return [template?.title, template?.body].some((source) => source?.includes(`{${name}}`) === true);
}

/** Discord's limit of titles, and the limit of an event's description (D21). */
const [MAX_TITLE, MAX_BODY] = [256, 4000];

const LITERAL_BRACE = "a literal brace is {{ or }}";

/** The error of fastest-validator for a text that is not a template. Its message continues the field's name. */
function templateError(source: unknown): object | undefined {
  const parsed = typeof source === "string" ? parseTemplate(source) : undefined;
  if (parsed === undefined || "parts" in parsed) return undefined;
  const { kind, position } = parsed.problem;
  const message = `has an ${kind} at character ${position}: ${LITERAL_BRACE}`;
  return kind === "unknown placeholder"
    ? { type: "stringEnum", expected: Object.keys(PLACEHOLDERS).join(", "), message }
    : { type: "malformed", expected: "a template", message };
}

interface ErrorList {
  push(error: object): void;
}

type TextCheck = (value: unknown, errors: ErrorList, rule: unknown, field: string) => unknown;

function templateText(max: number) {
  const rule = text(max);
  const checkText = rule["custom"] as TextCheck;
  const custom: TextCheck = (value, errors, ...rest) => {
    checkText(value, errors, ...rest);
    const error = templateError(value);
    if (error !== undefined) errors.push({ ...error, field: rest[1] });
    return value;
  };
  return clearable({ ...rule, custom });
}

/** The rule of the field `template`. */
export const templateRule = {
  type: "object",
  /** Name of the schema in the API document. */
  title: "MessageTemplateInput",
  strict: true,
  props: {
    title: templateText(MAX_TITLE),
    body: templateText(MAX_BODY),
    fields: clearable({ type: "array", max: TEMPLATE_FIELDS.length, items: oneOf(TEMPLATE_FIELDS) }),
  } satisfies Record<keyof MessageTemplate, unknown>,
};
