import { describe, expect, test } from "@jest/globals";
import { DIGEST_FREQUENCIES as SERVICE_DIGEST_FREQUENCIES } from "../../../../contracts/announcement-digests.ts";
import { OFFSET_ANCHORS as SERVICE_ANCHORS } from "../../../../contracts/announcement-offsets.ts";
import { ANNOUNCEMENT_TYPES as SERVICE_TYPES } from "../../../../contracts/announcement-fields.ts";
import { KEY_ACCESS as SERVICE_ACCESS, KEY_KINDS as SERVICE_KINDS } from "../../../../contracts/api-keys.contract.ts";
import {
  COLORS as SERVICE_COLORS,
  TEXT_LIMITS as SERVICE_TEXT_LIMITS,
} from "../../../../contracts/calendar-events.contract.ts";
import { LANGUAGES } from "../../../../contracts/guild-settings.contract.ts";
import { FREQUENCIES as SERVICE_FREQUENCIES, WEEKDAYS as SERVICE_WEEKDAYS } from "../../../../contracts/recurrence.ts";
import { MESSAGE_STEPS as SERVICE_STEPS } from "../../../../contracts/posted-messages.ts";
import { WEBHOOK_TYPES as SERVICE_WEBHOOK_TYPES } from "../../../../contracts/webhooks.contract.ts";
import {
  ANNOUNCEMENT_TYPES,
  colorName,
  COLORS,
  DIGEST_FREQUENCIES,
  FREQUENCIES,
  KEY_ACCESS,
  KEY_KINDS,
  MESSAGE_STEPS,
  OFFSET_ANCHORS,
  POST_LANGUAGES,
  TEXT_LIMITS,
  WEBHOOK_TYPES,
  WEEKDAYS,
} from "./choices.js";

describe("the choices of a form of the console", () => {
  test.each([
    ["colors", COLORS, SERVICE_COLORS],
    ["frequencies", FREQUENCIES, SERVICE_FREQUENCIES],
    ["frequencies of digests", DIGEST_FREQUENCIES, SERVICE_DIGEST_FREQUENCIES],
    ["weekdays", WEEKDAYS, SERVICE_WEEKDAYS],
    ["languages of posts", Object.keys(POST_LANGUAGES), LANGUAGES],
    ["types of announcements", ANNOUNCEMENT_TYPES, SERVICE_TYPES],
    ["anchors", OFFSET_ANCHORS, SERVICE_ANCHORS],
    ["types of webhooks", WEBHOOK_TYPES, SERVICE_WEBHOOK_TYPES],
    ["steps of messages", MESSAGE_STEPS, SERVICE_STEPS],
    ["kinds of keys", KEY_KINDS, SERVICE_KINDS],
    ["access of keys", KEY_ACCESS, SERVICE_ACCESS],
  ] as const)("are those of the service: %s", (_name, choices, accepted) => {
    expect(choices.toSorted()).toEqual(accepted.toSorted());
  });

  test("have the texts of the service, with its limits", () => {
    expect(TEXT_LIMITS).toEqual(SERVICE_TEXT_LIMITS);
  });

  test("show the name of a color", () => {
    expect(colorName("MAC_AND_CHEESE")).toBe("Mac and cheese");
  });
});
