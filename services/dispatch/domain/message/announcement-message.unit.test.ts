import { describe, expect, test } from "@jest/globals";
import { COLORS } from "../../../contracts/calendar-events.contract.ts";
import { announced, bare } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "./announcement-message.ts";

function boxOf(...differences: Parameters<typeof announced>) {
  return renderAnnouncement(announced(...differences))[0]?.embeds[0];
}

describe("the message of an announcement (D33)", () => {
  test("mentions the subscribers in the content, and pings exactly them", () => {
    expect(renderAnnouncement(announced())).toMatchObject([
      {
        content: "Subscribers: <@600000000000000001> <@&500000000000000001> @everyone",
        allowedMentions: { parse: ["everyone"], users: ["600000000000000001"], roles: ["500000000000000001"] },
      },
    ]);
  });

  test("pings here by the same keyword as everyone", () => {
    const [message] = renderAnnouncement(
      announced({ announcement: { subscribersRole: ["here"], subscribersUser: [] } }),
    );
    expect(message).toMatchObject({
      content: "Subscribers: @here",
      allowedMentions: { parse: ["everyone"], users: [], roles: [] },
    });
  });

  test("without subscribers mentions and pings nobody", () => {
    expect(renderAnnouncement(bare())).toMatchObject([
      { content: "", allowedMentions: { parse: [], users: [], roles: [] }, embeds: [{ title: "Announcement" }] },
    ]);
  });

  test("mentions a subscriber who is listed twice once", () => {
    const [message] = renderAnnouncement(
      announced({ announcement: { subscribersRole: [], subscribersUser: ["7", "8", "7"] } }),
    );
    expect(message).toMatchObject({ content: "Subscribers: <@7> <@8>", allowedMentions: { users: ["7", "8"] } });
  });

  test("shows an id of more than 64 bits but does not ping it, because Discord would refuse the list", () => {
    const subscribersUser = ["99999999999999999999", "18446744073709551615"];
    const [message] = renderAnnouncement(announced({ announcement: { subscribersUser } }));
    expect(message?.content).toContain("<@99999999999999999999>");
    expect(message?.allowedMentions.users).toEqual(["18446744073709551615"]);
  });

  test("splits a thousand subscribers into parts, with the embed in the first", () => {
    const subscribersUser = Array.from({ length: 1000 }, (_, at) => String(600_000_000_000_000_000n + BigInt(at)));
    const messages = renderAnnouncement(announced({ announcement: { subscribersRole: [], subscribersUser } }));
    expect(messages.flatMap(({ allowedMentions }) => allowedMentions.users)).toEqual(subscribersUser);
    expect(messages.map(({ embeds }) => embeds.length)).toEqual([1, ...messages.slice(1).map(() => 0)]);
    for (const { content } of messages) expect(content).toMatch(/^Subscribers: <@.{1,1986}$/);
  });

  test("pings at most 100 users and 100 roles in a part, even if more would fit", () => {
    const ids = Array.from({ length: 150 }, (_, at) => String(at + 1));
    const messages = renderAnnouncement(announced({ announcement: { subscribersRole: ids, subscribersUser: ids } }));
    expect(messages.map(({ allowedMentions: { users, roles } }) => [users.length, roles.length])).toEqual([
      [100, 0],
      [50, 100],
      [0, 50],
    ]);
  });

  test.each(COLORS)("has a color for %s", (color) => {
    const others = COLORS.filter((each) => each !== color).map((each) => boxOf({ occurrence: { color: each } })?.color);
    expect(others).not.toContain(boxOf({ occurrence: { color } })?.color);
  });

  test("has only the info under the title if only the info is wanted", () => {
    expect(boxOf({ announcement: { infoOnly: true } })).toEqual({
      title: "Raid night",
      color: 0xdc2127,
      description: "Sign up in the pinned thread.",
      fields: [],
    });
  });

  test("ignores a blank info, even if only the info is wanted", () => {
    const blank = { info: " \u200b\n" };
    expect(boxOf({ announcement: { ...blank, infoOnly: true } })).toEqual(boxOf({ announcement: blank }));
    expect(boxOf({ announcement: blank })?.fields.map(({ name }) => name)).toEqual(["Starts", "Ends", "Location"]);
  });

  test("of a simple announcement has no ids and no footer, and both times in one line", () => {
    const box = boxOf({ settings: { simpleAnnouncements: true } });
    expect(box).not.toHaveProperty("footer");
    expect(JSON.stringify(box)).not.toMatch(/e0123456789|5b0b3f62/);
    expect(box?.fields[0]?.value).not.toContain("\n");
  });

  test("has the guild's name as the author if the guild is branded and its name is known", () => {
    expect(boxOf({ settings: { branded: true }, guildName: "Watch" })).toHaveProperty("author", "Watch");
    expect(boxOf({ settings: { branded: false }, guildName: "Watch" })).not.toHaveProperty("author");
    expect(boxOf({ settings: { branded: true } })).not.toHaveProperty("author");
    expect(boxOf({ settings: { branded: true }, guildName: "\u200b " })).not.toHaveProperty("author");
  });

  test.each([
    "javascript:alert(1)",
    "not a link",
    "file:///etc/passwd",
    "http://localhost/x.png",
    `https://example.com/${"é".repeat(1000)}`,
  ])("has no image if Discord could not show it: %.24s", (image) => {
    expect(boxOf({ occurrence: { image } })).not.toHaveProperty("imageUrl");
  });

  test("has a shorter description if the total is too long", () => {
    const info = "i".repeat(1024);
    const box = boxOf({
      occurrence: { name: "n".repeat(256), description: "d".repeat(4000), location: "l".repeat(1024) },
      announcement: { info },
    });
    expect(box?.description).toMatch(/^d{3000,3900}…$/);
    expect(box?.fields.at(-1)?.value).toBe(info);
  });
});

describe("a malicious text", () => {
  const HARMFUL = [
    "@everyone @here",
    "<@600000000000000009> <@!600000000000000009> <@&500000000000000009>",
    "```\nunclosed",
    "**bold** [link](https://example.com) > quote || spoiler ||",
    "\u202eright to left",
    "a\u200bb\u2066c",
    "\ud800 half a pair",
  ];

  test.each(HARMFUL)("such as %j pings nobody in any field, and is shown unchanged", (text) => {
    const texts = { name: text, description: text, location: text };
    const announcement = { info: text, subscribersRole: [], subscribersUser: ["7"] };
    const messages = renderAnnouncement(announced({ occurrence: texts, announcement }));
    expect(messages).toMatchObject([
      {
        content: "Subscribers: <@7>",
        allowedMentions: { parse: [], users: ["7"], roles: [] },
        embeds: [{ title: text.toWellFormed(), description: text.toWellFormed() }],
      },
    ]);
  });
});
