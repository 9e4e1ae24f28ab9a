import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { REASON_CODES } from "../../services/contracts/dispatch.contract.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { withBlocks } from "./generated-blocks.ts";
import { markdownFiles, read } from "./markdown.ts";
import { GENERATED, regenerated } from "./write-docs.ts";

/** Removes white space and table lines, which the formatter changes. */
const unspaced = (text: string) => text.replaceAll(/\s+/g, "").replaceAll(/-{3,}/g, "---");

describe("a document with generated blocks", () => {
  test.each(Object.keys(GENERATED))("%s matches the code; `npm run docs` writes it", (path) => {
    const { stored, fresh } = regenerated(path);
    expect(stored.length).toBeGreaterThan(1_000);
    expect(unspaced(stored)).toBe(unspaced(fresh));
  });

  test.each(["", "<!-- other: begin -->\n<!-- other: end -->"])("without its block is refused: %j", (text) => {
    expect(() => withBlocks(text, { settings: "x" })).toThrow("blocks in the document");
  });

  test("keeps the text around its blocks", () => {
    const text = "a\n<!-- b: begin (c) -->\nold\n<!-- b: end -->\nd\n";
    expect(withBlocks(text, { b: "new" })).toBe("a\n<!-- b: begin (c) -->\n\nnew\n\n<!-- b: end -->\nd\n");
  });
});

/** Errors that every endpoint may return. */
const OF_EVERY_ENDPOINT = [
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "UNAUTHORIZED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "INVALID_JSON",
  "INVALID_REQUEST",
  "FORBIDDEN",
  "TOO_MANY_REQUESTS",
  "INTERNAL",
  "UNAVAILABLE",
  "OUTCOME_UNKNOWN",
];

describe("the documents", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: object };

  test("contain only npm scripts that exist", () => {
    const named = markdownFiles().flatMap((path) =>
      [...read(path).matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map(([, script]) => ({ path, script: script! })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  /** Paths in guides for new contributors must exist. `*`, `{a,b}` and `…` stand for several files. */
  const GUIDES = [
    "README.md",
    "CONTRIBUTING.md",
    "test/README.md",
    "clients/README.md",
    ...globSync("docs/*.md", { cwd: PROJECT }),
  ];

  test.each(GUIDES)("%s contains only paths that exist", (guide) => {
    const paths = [...read(guide).matchAll(/`((?:services|mixins|test|k8s|docs|clients|examples)\/[^`\s]+)`/g)].map(
      ([, path]) => path!,
    );
    const exists = (path: string) =>
      /[*{]/.test(path) ? globSync(path, { cwd: PROJECT }).length > 0 : existsSync(join(PROJECT, path));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test("docs/architecture.md has every service", () => {
    const text = read("docs/architecture.md");
    expect(SERVICES.filter((service) => !text.includes(`services/${service}`))).toEqual([]);
  });

  test("docs/api.md lists exactly the errors of resources, with the endpoints that return each", () => {
    const lists = [...read("docs/api.md").matchAll(/^Errors of [^:]*: ([\s\S]*?)\.$/gm)].map(([, list]) => list!);
    const named = lists.flatMap((list) => [...list.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!));
    expect(lists.length).toBeGreaterThan(4);
    expect(named.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
    const ofEveryEndpoint = new Set(OF_EVERY_ENDPOINT);
    const unnamed = Object.keys(ERRORS).filter((code) => !named.includes(code) && !ofEveryEndpoint.has(code));
    expect(unnamed).toEqual([]);
  });

  test("docs/posting.md explains exactly the existing reason codes", () => {
    const explained = [...read("docs/posting.md").matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, code]) => code!);
    const permissions = ["VIEW_CHANNEL", "SEND_MESSAGES", "SEND_MESSAGES_IN_THREADS", "EMBED_LINKS"];
    const others = new Set([...permissions, "READ_MESSAGE_HISTORY", "MENTION_EVERYONE"]);
    expect(explained.filter((code) => !others.has(code)).toSorted()).toEqual(REASON_CODES.toSorted());
  });
});
