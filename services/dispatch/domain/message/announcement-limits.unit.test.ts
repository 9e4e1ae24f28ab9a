import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readForm } from "../../../../test/harness/chat-server/message-form.ts";
import { COLORS } from "../../../contracts/calendar-events.contract.ts";
import { LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import { PLACEHOLDERS, TEMPLATE_FIELDS } from "../../../contracts/message-template.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { encodeMessage } from "../../sinks/message-body.ts";
import type { ChatMessage } from "./chat-message.ts";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "./announcement-message.ts";
import { toPlainText } from "./plain-text.ts";

const zones = fc.oneof(
  fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Argentina/ComodRivadavia", "Pacific/Apia"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
/** Long texts of emoji families, combining letters, lone surrogates, white space and plain words. */
const text = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "👩‍👩‍👧‍👦",
        "e\u0301",
        "a" + "\u0300".repeat(300),
        "\ud83d",
        "\udc00",
        " ",
        "\u200b",
        "@everyone ",
        "🇯🇵",
      ),
    ),
    fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 5000 })),
  )
  .map(([unit, times]) => unit.repeat(times).slice(0, 9000));
/** Templates of placeholders, literal braces and long texts; one that does not parse is never stored but may be read. */
const templateText = fc
  .array(
    fc.oneof(fc.constantFrom(...Object.keys(PLACEHOLDERS).map((name) => `{${name}}`), "{{", "{", "@everyone "), text),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));
const template = fc.option(
  fc.record(
    { title: templateText, body: templateText, fields: fc.subarray([...TEMPLATE_FIELDS]) },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const subscriber = fc.oneof(fc.stringMatching(/^\d{1,20}$/), fc.constantFrom("everyone", "here", "x", ""));

const anything = fc
  .record({
    texts: fc.record({ name: text, description: text, location: text, image: fc.oneof(fc.webUrl(), text) }),
    info: text,
    guildName: text,
    flags: fc.record({
      simpleAnnouncements: fc.boolean(),
      twelveHour: fc.boolean(),
      branded: fc.boolean(),
      lang: fc.constantFrom(...LANGUAGES),
    }),
    infoOnly: fc.boolean(),
    templates: fc.tuple(template, template),
    color: fc.constantFrom(...COLORS),
    timezone: zones,
    times: fc.tuple(fc.integer({ min: 0, max: LAST_EPOCH_MS }), fc.integer({ min: 0, max: LAST_EPOCH_MS })),
    subscribersRole: fc.array(subscriber, { maxLength: 300 }),
    subscribersUser: fc.array(subscriber, { maxLength: 300 }),
  })
  .map(
    ({
      texts,
      info,
      guildName,
      flags,
      infoOnly,
      templates,
      color,
      timezone,
      times,
      subscribersRole,
      subscribersUser,
    }) =>
      announced({
        announcement: {
          info,
          infoOnly,
          subscribersRole,
          subscribersUser,
          ...(templates[0] && { template: templates[0] }),
        },
        occurrence: { ...texts, color, timezone, startsAt: Math.min(...times), endsAt: Math.max(...times) },
        settings: { ...flags, ...(templates[1] && { template: templates[1] }) },
        guildName,
      }),
  );

function digitsIn(entries: readonly string[]): string[] {
  return [...new Set(entries.filter((entry) => /^\d+$/.test(entry)))];
}

/** The reasons for which Discord would refuse the message. */
function refusals(message: ChatMessage): unknown[] {
  const form = readForm({ ...encodeMessage(message) });
  return "refused" in form ? [form.refused.body] : [];
}

function mentionsIn(content: string) {
  const ids = (pattern: RegExp) => [...content.matchAll(pattern)].map(([, id]) => id);
  return { users: ids(/<@(\d+)>/g), roles: ids(/<@&(\d+)>/g), everyone: /@everyone|@here/.test(content) };
}

const smallEnough = (id: string | undefined) => BigInt(id ?? 0) < 2n ** 64n;

describe("a message of any announcement", () => {
  test("is within Discord's limits, as an embed and as plain text", () => {
    fc.assert(
      fc.property(anything, (input) => {
        const messages = renderAnnouncement(input);
        expect(messages.flatMap(refusals)).toEqual([]);
        expect(messages.map(toPlainText).flatMap(refusals)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(LANGUAGES)("is within the limits with the longest texts in %s", (lang) => {
    const long = "x".repeat(9000);
    const texts = { name: long, description: long, location: long };
    // Each weekday and each month, in the zone with the longest name.
    const days = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 20 + (month % 7), 23, 59));
    const zoned = { timezone: "America/Argentina/ComodRivadavia" };
    for (const [twelveHour, simpleAnnouncements] of [
      [true, false],
      [false, true],
    ] as const) {
      const settings = { lang, twelveHour, simpleAnnouncements, branded: true };
      const messages = days.flatMap((startsAt) =>
        renderAnnouncement(
          announced({
            announcement: { info: long },
            occurrence: { ...texts, ...zoned, startsAt, endsAt: startsAt + 40 * 86_400_000 },
            settings,
            guildName: long,
          }),
        ),
      );
      expect(messages.length).toBeGreaterThanOrEqual(days.length);
      expect(messages.flatMap(refusals)).toEqual([]);
      expect(messages.map(toPlainText).flatMap(refusals)).toEqual([]);
    }
  });

  test("pings exactly the subscribers that its content mentions", () => {
    fc.assert(
      fc.property(anything, (input) => {
        const messages = renderAnnouncement(input);
        for (const { content, allowedMentions } of messages) {
          const { users, roles, everyone } = mentionsIn(content);
          expect(allowedMentions.users).toEqual(users.filter(smallEnough));
          expect(allowedMentions.roles).toEqual(roles.filter(smallEnough));
          expect(allowedMentions.parse).toEqual(everyone ? ["everyone"] : []);
        }
        const { subscribersUser, subscribersRole } = input.announcement;
        const named = messages.map(({ content }) => mentionsIn(content));
        expect(named.flatMap(({ users }) => users)).toEqual(digitsIn(subscribersUser));
        expect(named.flatMap(({ roles }) => roles)).toEqual(digitsIn(subscribersRole));
      }),
      { numRuns: 200 },
    );
  });
});
