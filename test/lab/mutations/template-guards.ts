import type { TestedGuard } from "./guard.ts";

const contract = {
  file: "services/contracts/message-template.ts",
  testFile: "services/contracts/message-template.unit.test.ts",
};
const message = { testFile: "services/dispatch/domain/message/template-messages.unit.test.ts" };

/** Guards of templates (D61). */
export const TEMPLATE_GUARDS: readonly TestedGuard[] = [
  {
    ...contract,
    guard: "an unknown placeholder of a template is refused",
    in: "parseTemplate",
    code: "!isPlaceholder($_)",
    without: "false",
    test: "such as",
  },
  {
    ...contract,
    guard: "a member of every object is no placeholder",
    in: "isPlaceholder",
    code: "Object.hasOwn(PLACEHOLDERS, $NAME)",
    without: "$NAME in PLACEHOLDERS",
    test: "such as",
  },
  {
    ...contract,
    guard: "a template with an error is refused when it is stored",
    in: "templateText",
    code: "$_.push($_)",
    without: "undefined",
    test: "with an error is refused with its field, position and the known placeholders",
  },
  {
    guard: "the rendered text of a template is within Discord's limits",
    file: "services/dispatch/domain/message/render-template.ts",
    code: "truncate(visibleText($TEXT), $_)",
    without: "visibleText($TEXT)",
    testFile: "services/dispatch/domain/message/announcement-limits.unit.test.ts",
    test: "is within Discord's limits",
  },
  {
    ...message,
    guard: "a template that this release cannot parse does not fail a post",
    file: "services/dispatch/domain/message/render-template.ts",
    code: 'if ("problem" in $_) return undefined;',
    without: 'if ("problem" in parseTemplate(arguments[0])) return "";',
    test: "that a later release has stored with an unknown placeholder is as without that part",
  },
  {
    ...message,
    guard: "a template without the ids shows no footer",
    file: "services/dispatch/domain/message/announcement-embed.ts",
    code: '!$_.has("IDS")',
    without: "false",
    test: "has only the fields that the template lists",
  },
  {
    guard: "a message that shows no start is not proved absent by another text with its ids",
    file: "services/dispatch/sinks/discord/match-message.ts",
    in: "matchMessage",
    code: 'if ($_ === undefined) return $_ ? "same" : "perhaps";',
    without: "",
    testFile: "services/dispatch/sinks/discord/recent-messages.unit.test.ts",
    test: "proves nothing by another text with the same ids if a template shows no start",
  },
  {
    guard: "the number of an occurrence does not depend on what was counted before",
    file: "services/calendar-events/domain/recurrence/occurrence-number.ts",
    in: "datesBefore",
    code: "$_.until <= $_",
    without: "true",
    testFile: "services/calendar-events/domain/recurrence/occurrence-number.unit.test.ts",
    test: "counts the occurrences of any rule in order, whatever was counted before",
  },
  {
    guard: "a draft that changes a template changes messages",
    file: "services/dispatch/domain/diff/message-changes.ts",
    in: "shownKey",
    code: "[$A, $B, $_, $E, $C, $D]",
    without: "[$A, $B, $E, $C, $D]",
    testFile: "services/dispatch/domain/diff/message-changes.unit.test.ts",
    test: "is another one after the announcement has",
  },
  {
    guard: "a draft that changes a digest changes messages",
    file: "services/dispatch/domain/diff/message-changes.ts",
    in: "shownKey",
    code: "[$A, $B, $E, $_, $C, $D]",
    without: "[$A, $B, $E, $C, $D]",
    testFile: "services/dispatch/domain/diff/message-changes.unit.test.ts",
    test: "is another one after the announcement has",
  },
];
