import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { HttpResponse } from "../http/http-response.ts";
import { filePage } from "./file-page.ts";
import type { Page } from "./page.ts";

const FOLDER = join(import.meta.dirname, "console");

/** The kinds of files that a browser needs. Other files of the folder (types, tests, texts) are not served. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page has relative links, which would not work with a slash at the end. */
const REDIRECT_TO_CONSOLE: HttpResponse = { status: 308, headers: { location: "../console" }, body: "" };

/** No inline script or style, no outside source; the page cannot be framed (D56). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The names of the served files, relative to the folder. */
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => extname(name) in TYPES)
  .toSorted();

/** The console: static files, without a build and without a key (D56). */
export function consolePages(): readonly Page[] {
  const files = FILES.map((name) =>
    filePage({
      path: name === "index.html" ? "/console" : `/console/${name}`,
      type: TYPES[extname(name)]!,
      contentSecurityPolicy: CONTENT_SECURITY_POLICY,
      read: () => readFile(join(FOLDER, name)),
    }),
  );
  return [...files, { path: "/console/", respond: () => REDIRECT_TO_CONSOLE }];
}
