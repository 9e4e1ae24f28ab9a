import { describe, expect, test } from "@jest/globals";
import { openapiText } from "../../services/api/openapi/openapi-document.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { ALL_SETTINGS } from "../../services/launch/run/service-factories.ts";
import { readSources } from "../architecture/source-file.ts";

/** Words that names must not contain, with the terms to use instead. A compound is written as separate words. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  agenda: "due scheduler",
  anew: "copy, retry",
  asked: "requested",
  doorkeeper: "admission",
  foresight: "prefetch",
  halts: "circuit breaker",
  kept: "stored, cached",
  "key office": "API key management",
  "key ring": "API key authenticator",
  lane: "queue, bucket",
  looks: "due poller",
  most: "max",
  passing: "in flight",
  placed: "effective occurrence",
  spoken: "message flow",
  together: "batch",
  told: "issued",
  unheard: "lost call",
  ward: "supervised process",
};

/** Folders with older names, which is not to be extended. */
const EXEMPT = ["mixins/mongo/"];

/** The words of a file or an identifier: `keptAnswers`, `MOST_ENTRIES` and `key-ring.ts` have two each. */
function wordsOf(name: string): string {
  return ` ${name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase()
    .trim()} `;
}

function unwanted(name: string): string[] {
  const words = wordsOf(name);
  return Object.keys(INSTEAD_OF).filter((word) => words.includes(` ${word} `));
}

const EXPORTED = /^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm;

/** The path of a source file, and every name that it exports. */
function namesIn({ path, text }: { readonly path: string; readonly text: string }): string[] {
  return [path, ...[...text.matchAll(EXPORTED)].map(([, name]) => name!)];
}

describe("a name that others read", () => {
  const sources = readSources("services", "mixins", "clients", "examples").filter(
    ({ path }) => !EXEMPT.some((each) => path.startsWith(each)),
  );

  test("of a file or an export contains no word of the list", () => {
    const names = sources.flatMap(namesIn);
    expect(names.length).toBeGreaterThan(1_000);
    expect(names.filter((name) => unwanted(name).length > 0)).toEqual([]);
  });

  test("of an error, a setting or the API contains none either", () => {
    const texts = [
      ...Object.values(ERRORS).map(({ message }) => message),
      ...Object.values(ALL_SETTINGS).map(({ about }) => about),
      openapiText(ROUTES),
    ];
    const words = /\b(?:anew|doorkeeper|foresight|key ring|told|unheard|whoever)\b/i;
    expect(texts.filter((text) => words.test(text))).toEqual([]);
  });

  test.each(["services/api/kept-answers.ts", "MOST_ENTRIES", "keyRing", "askedAgain", "sink-lane.ts"])(
    "is found in %s",
    (name) => {
      expect(unwanted(name).length).toBeGreaterThan(0);
    },
  );

  test.each(["MAX_ENTRIES", "almostDone", "rewards.ts", "planes"])("is not found in %s", (name) => {
    expect(unwanted(name)).toEqual([]);
  });
});
