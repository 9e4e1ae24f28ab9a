import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Answer } from "../http/http-response.ts";
import { openapiText } from "../openapi/openapi-document.ts";
import type { Page } from "./page.ts";
import type { Route } from "../route.ts";

const JAVASCRIPT = "text/javascript; charset=utf-8";

const swaggerUi = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const own = join(import.meta.dirname, "docs");

/** Our own files, and three of Swagger UI's: the page works without a network and loads nothing from elsewhere. */
const FILES: Readonly<Record<string, { readonly folder: string; readonly file: string; readonly type: string }>> = {
  "/docs": { folder: own, file: "index.html", type: "text/html; charset=utf-8" },
  "/docs/start.js": { folder: own, file: "start.js", type: JAVASCRIPT },
  "/docs/example-ids.js": { folder: own, file: "example-ids.js", type: JAVASCRIPT },
  "/docs/swagger-ui.css": { folder: swaggerUi, file: "swagger-ui.css", type: "text/css; charset=utf-8" },
  "/docs/swagger-ui-bundle.js": { folder: swaggerUi, file: "swagger-ui-bundle.js", type: JAVASCRIPT },
  "/docs/favicon-32x32.png": { folder: swaggerUi, file: "favicon-32x32.png", type: "image/png" },
};

/** Sends to the page: its links are relative, and would miss their targets one folder further down. */
const DOCS: Answer = { status: 308, headers: { location: "../docs" }, body: "" };

/** Scripts and requests from here alone; Swagger UI sets styles on its elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API document, and the page that shows it and sends requests. */
export function docsPages(routes: readonly Route[]): readonly Page[] {
  const document = openapiText(routes);
  return [
    page("/openapi.json", "application/json; charset=utf-8", () => Promise.resolve(Buffer.from(document))),
    { path: "/docs/", answer: () => DOCS },
    ...Object.entries(FILES).map(([path, { folder, file, type }]) =>
      page(path, type, () => readFile(join(folder, file))),
    ),
  ];
}

interface Encodings {
  readonly identity: Buffer;
  readonly gzip: Buffer;
}

/** A page whose content is read and compressed once, at its first request. */
function page(path: string, type: string, read: () => Promise<Buffer>): Page {
  let encodings: Promise<Encodings> | undefined;
  const headers = { "content-type": type, "content-security-policy": POLICY, vary: "accept-encoding" };
  return {
    path,
    async answer(acceptsGzip) {
      encodings ??= read().then(async (identity) => ({ identity, gzip: await promisify(gzip)(identity) }));
      const body = await encodings.catch((error: unknown) => {
        encodings = undefined;
        throw error;
      });
      return acceptsGzip
        ? { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: body.gzip }
        : { status: 200, headers, body: body.identity };
    },
  };
}
