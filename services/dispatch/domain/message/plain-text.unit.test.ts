import { describe, expect, test } from "@jest/globals";
import { announced, bare } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "./announcement-message.ts";
import { toPlainText } from "./plain-text.ts";

describe("a message as plain text", () => {
  test("has the texts of the embed on lines of their own, and the same pings", () => {
    const [message] = renderAnnouncement(announced());
    const plain = message && toPlainText(message);
    expect(plain).toMatchObject({ embeds: [], allowedMentions: message?.allowedMentions });
    expect(plain?.content.split("\n")).toEqual([
      "Subscribers: <@600000000000000001> <@&500000000000000001> @everyone",
      "Raid night",
      "Bring **potions**.",
      "First pull at nine sharp.",
      "Starts: Saturday, November 21, 2026, 8:00 PM (Europe/Berlin) <t:1795287600:F>",
      "Ends: Saturday, November 21, 2026, 10:30 PM (Europe/Berlin) <t:1795296600:F>",
      "Location: Molten Core",
      "Additional information: Sign up in the pinned thread.",
      "Announcement 5b0b3f62-6f0a-4d0e-9f0e-0d3a5c1b2a10 · Event e0123456789abcdefghijklmno_20261121T190000Z",
    ]);
  });

  test("begins with the title if there are no subscribers", () => {
    expect(renderAnnouncement(bare()).map(toPlainText)[0]?.content).toMatch(/^Announcement\nStarts: /);
  });
});
