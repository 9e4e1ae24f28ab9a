import { describe, expect, test } from "@jest/globals";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import { renderCancelled } from "./edited-message.ts";
import { MAX_TITLE } from "./message-limits.ts";

const { announcement, settings } = announced();
const input = { announcement, settings, occurrenceId: "e1", title: "Raid night" };

describe("the message of a cancelled event (D67)", () => {
  test.each(LANGUAGES.map((lang) => [lang]))("has a struck title and the word in %s, and pings nobody", (lang) => {
    const { embeds, content, allowedMentions } = renderCancelled({ ...input, settings: { ...settings, lang } });
    expect(embeds).toMatchObject([{ title: "~~Raid night~~", description: expect.stringMatching(/\S/), fields: [] }]);
    expect(content).toContain("@everyone");
    expect(allowedMentions).toEqual({ parse: [], users: [], roles: [] });
  });

  test("is within the limit of a title, and has a title if the message had none", () => {
    const titleOf = (title: string) => renderCancelled({ ...input, title }).embeds[0]?.title;
    expect(titleOf("x".repeat(256))).toHaveLength(MAX_TITLE);
    expect(titleOf("")).toBe("~~Announcement~~");
  });

  test("has the ids unless the announcements of the guild are simple", () => {
    expect(renderCancelled(input).embeds[0]?.footer).toContain("Event e1");
    const simple = { ...settings, simpleAnnouncements: true };
    expect(renderCancelled({ ...input, settings: simple }).embeds[0]).not.toHaveProperty("footer");
  });
});
