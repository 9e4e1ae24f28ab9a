import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HttpResponse } from "../http/http-response.ts";
import { openapiText } from "../openapi/openapi-document.ts";
import { filePage } from "./file-page.ts";
import type { Page } from "./page.ts";
import type { Route } from "../route.ts";

const JAVASCRIPT = "text/javascript; charset=utf-8";

const swaggerUi = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const docsFolder = join(import.meta.dirname, "docs");

/** The files of this page and of Swagger UI: the page loads nothing from other hosts. */
const FILES: Readonly<Record<string, { readonly folder: string; readonly file: string; readonly type: string }>> = {
  "/docs": { folder: docsFolder, file: "index.html", type: "text/html; charset=utf-8" },
  "/docs/start.js": { folder: docsFolder, file: "start.js", type: JAVASCRIPT },
  "/docs/example-ids.js": { folder: docsFolder, file: "example-ids.js", type: JAVASCRIPT },
  "/docs/swagger-ui.css": { folder: swaggerUi, file: "swagger-ui.css", type: "text/css; charset=utf-8" },
  "/docs/swagger-ui-bundle.js": { folder: swaggerUi, file: "swagger-ui-bundle.js", type: JAVASCRIPT },
  "/docs/favicon-32x32.png": { folder: swaggerUi, file: "favicon-32x32.png", type: "image/png" },
};

/** The page has relative links, which would not work with a slash at the end. */
const REDIRECT_TO_DOCS: HttpResponse = { status: 308, headers: { location: "../docs" }, body: "" };

/** Allows scripts and requests of the same origin only; Swagger UI needs inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API document, and the docs page, which shows it and sends requests. */
export function docsPages(routes: readonly Route[]): readonly Page[] {
  const document = openapiText(routes);
  return [
    docsFile("/openapi.json", "application/json; charset=utf-8", () => Promise.resolve(Buffer.from(document))),
    { path: "/docs/", respond: () => REDIRECT_TO_DOCS },
    ...Object.entries(FILES).map(([path, { folder, file, type }]) =>
      docsFile(path, type, () => readFile(join(folder, file))),
    ),
  ];
}

const docsFile = (path: string, type: string, read: () => Promise<Buffer>) =>
  filePage({ path, type, contentSecurityPolicy: CONTENT_SECURITY_POLICY, read });
