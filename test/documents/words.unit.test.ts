import { describe, expect, test } from "@jest/globals";
import { openapiText } from "../../services/api/openapi/openapi-document.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { LATE_CODES } from "../../services/contracts/dispatch.contract.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { lateReason } from "../../services/dispatch/domain/post/late-reason.ts";
import { ALL_SETTINGS } from "../../services/launch/run/service-factories.ts";
import { readSources } from "../architecture/source-file.ts";
import { ALERTS } from "../manifests/alert-rules.ts";
import { PANELS } from "../manifests/dashboard.ts";

/** Words that names must not contain, with the terms to use instead. A compound is written as separate words. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  admitted: "allowed",
  agenda: "due scheduler",
  anew: "copy, retry",
  answer: "response",
  answered: "response, returned",
  answers: "responses",
  asked: "requested",
  deaf: "ignores broadcasts",
  doorkeeper: "admission",
  filed: "index entries",
  filing: "index entries",
  follower: "change feed consumer",
  foresight: "prefetch",
  halts: "circuit breaker",
  hint: "change notification",
  kept: "stored, cached",
  "key office": "API key management",
  "key ring": "API key authenticator",
  "key seal": "key hashing",
  lane: "queue, bucket",
  looks: "due poller",
  "lost calls": "retry policy",
  most: "max",
  "named request": "idempotent request",
  "new records": "batched insert",
  news: "gateway events",
  passing: "in flight",
  placed: "effective occurrence",
  questions: "state reader",
  raise: "start, allow",
  rescue: "lease recovery",
  retried: "call attempts, retry policy",
  seldom: "throttled",
  rights: "permissions, privileges",
  "short reads": "find command",
  spoken: "message flow",
  "taken calls": "retry policy",
  together: "batch",
  told: "issued",
  touch: "request replan",
  truth: "current state",
  "turned away": "rejected",
  unheard: "call without response",
  ward: "supervised process",
};

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

/** The comments in a source text. */
function commentsIn(text: string): string[] {
  return text.match(/\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*/gm) ?? [];
}

/** The descriptions of metrics in a source text. */
function helpTextsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:help:\s*|gauge\(\s*"[^"]+",\s*)"([^"]+)"/g)].map(([, help]) => help!);
}

describe("a name that others read", () => {
  const sources = readSources("services", "mixins", "clients", "examples", "test", "k8s");

  test("of a file or an export contains no word of the list", () => {
    const names = sources.flatMap(namesIn);
    expect(names.length).toBeGreaterThan(1_000);
    expect(names.filter((name) => unwanted(name).length > 0)).toEqual([]);
  });

  const words =
    /\b(?:anew|answer(?:s|ed)?|asks for|by itself|doorkeeper|foresight|is asked|key ring|nobody|told|unheard|whoever)\b/i;

  test("of a comment in services and mixins contains none of these words", () => {
    const comments = sources
      .filter(({ path }) => /^(?:services|mixins)\//.test(path) && !path.includes(".test."))
      .flatMap(({ text }) => commentsIn(text));
    expect(comments.length).toBeGreaterThan(2_000);
    expect(comments.filter((comment) => words.test(comment))).toEqual([]);
  });

  test("of an error, a setting, the API, an alert, a panel, a metric or a late post contains none either", () => {
    const helps = sources.flatMap(({ path, text }) => (path.includes(".test.") ? [] : helpTextsIn(text)));
    expect(helps.length).toBeGreaterThan(12);
    const texts = [
      ...helps,
      ...ALERTS.flatMap(({ annotations }) => Object.values(annotations)),
      ...PANELS.flatMap(({ title, description = "" }) => [title, description]),
      ...LATE_CODES.map((cause) => lateReason([{ cause, from: 0, until: 1, ms: 1, detail: "" }]) ?? ""),
      ...Object.values(ERRORS).map(({ message }) => message),
      ...Object.values(ALL_SETTINGS).map(({ about }) => about),
      openapiText(ROUTES),
    ];
    expect(texts.filter((text) => words.test(text))).toEqual([]);
  });

  test.each([
    "Nobody knows whether they arrived.",
    "A member does not start again by itself.",
    "The clients are told.",
    ...commentsIn("/** Nobody sends it\n * twice. */\nsend(); // Asks for a key"),
    ...helpTextsIn('new Counter({ name: "x", help: "How often a server is asked" })'),
    ...helpTextsIn('gauge("x_total", "How often a server is asked")'),
  ])("is found in the text: %s", (text) => {
    expect(text).toMatch(words);
  });

  test.each(["services/api/kept-answers.ts", "MOST_ENTRIES", "keyRing", "askedAgain", "sink-lane.ts", "RetriedCall"])(
    "is found in %s",
    (name) => {
      expect(unwanted(name).length).toBeGreaterThan(0);
    },
  );

  test.each(["MAX_ENTRIES", "almostDone", "rewards.ts", "planes"])("is not found in %s", (name) => {
    expect(unwanted(name)).toEqual([]);
  });
});
