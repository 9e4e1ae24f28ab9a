import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { languageSample } from "../../../../test/fixtures/language-samples.ts";
import { CLDR_FORMATS } from "./words/cldr-formats.ts";
import type { CldrLanguage } from "./words/cldr-format.ts";

const GOLDEN = join(import.meta.dirname, "golden-languages.md");
const HEAD = `# A sample of each language

Written by \`GOLDEN=write\`, kept equal by a test. Each block has the texts of the messages of one
language (D70): an event without a name with 12 hours, its times with 24 hours, start and end in one
line, an all-day event of two days, durations, the mark of a cancelled event, and the number of
further events of two digests. A slash is a new line. Words to correct are in
\`services/dispatch/domain/message/words\`.
`;

test("messages of the languages with formats of CLDR are rendered as in golden-languages.md", () => {
  const languages = Object.keys(CLDR_FORMATS) as CldrLanguage[];
  const sections = languages.map(
    (language) => `## ${language}\n\n\`\`\`text\n${languageSample(language).join("\n")}\n\`\`\`\n`,
  );
  const text = [HEAD, ...sections].join("\n");
  if (process.env["GOLDEN"] === "write") writeFileSync(GOLDEN, text);
  expect(readFileSync(GOLDEN, "utf8")).toBe(text);
});
