import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { ChatMessage, Embed } from "./chat-message.ts";
import { GOLDEN_CASES } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "./announcement-message.ts";

const GOLDEN = join(import.meta.dirname, "golden-messages.md");

/** One message as Markdown, with a label for every part. */
function drawn({ content, embeds, allowedMentions }: ChatMessage): string {
  const { parse, users, roles } = allowedMentions;
  const pings = `(pings: ${[...parse, ...users, ...roles].join(", ") || "nobody"})`;
  return [content, pings, ...embeds.flatMap(boxLines)].filter((line) => line !== "").join("\n");
}

function boxLines({ title, description, color, imageUrl, author, footer, fields }: Embed): string[] {
  const named = { author, title, description, image: imageUrl, footer };
  const { footer: last, ...first } = Object.fromEntries(
    Object.entries(named).map(([name, text]) => [name, text === undefined ? [] : [`${name}: ${text}`]]),
  );
  const fieldLines = fields.map(({ name, value, inline }) => `${inline ? "beside" : "below"}: ${name}\n${value}`);
  const lines = [...Object.values(first).flat(), ...fieldLines, ...(last ?? [])].flatMap((text) => text.split("\n"));
  return [`#${color.toString(16).padStart(6, "0")}`, ...lines].map((line) => `| ${line}`);
}

test("messages are rendered as in golden-messages.md", () => {
  const sections = GOLDEN_CASES.map(
    ([title, example]) => `## ${title}\n\n\`\`\`text\n${renderAnnouncement(example).map(drawn).join("\n\n")}\n\`\`\`\n`,
  );
  const text = `# Messages as they are rendered\n\nWritten by \`GOLDEN=write\`, kept equal by a test.\n\n${sections.join("\n")}`;
  if (process.env["GOLDEN"] === "write") writeFileSync(GOLDEN, text);
  expect(readFileSync(GOLDEN, "utf8")).toBe(text);
});
