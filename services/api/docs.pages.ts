import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "./answer.ts";
import { openapiText } from "./openapi.ts";
import type { Page } from "./page.ts";
import type { Route } from "./route.ts";

/** Swagger UI out of node_modules, these files alone: it works without a network, and asks nobody else for anything. */
const FILES = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

const directory = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Guildcal API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script type="module" src="docs/start.js"></script>
  </body>
</html>
`;

/** JavaScript's numbers round a guild's id (D7): this page shows such integers as texts, with every digit. */
const START = `const exactly = (text) =>
  JSON.parse(text, (_key, value, { source } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined ? source : value);

const response = await fetch("openapi.json");
SwaggerUIBundle({
  spec: exactly(await response.text()),
  dom_id: "#docs",
  validatorUrl: null,
  tryItOutEnabled: true,
  responseInterceptor(answer) {
    if (answer.headers["content-type"]?.startsWith("application/json")) answer.text = JSON.stringify(exactly(answer.text));
    return answer;
  },
});
`;

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
    { path: "/openapi.json", answer: () => file("application/json; charset=utf-8", document) },
    { path: "/docs", answer: () => file("text/html; charset=utf-8", HTML) },
    { path: "/docs/", answer: () => DOCS },
    { path: "/docs/start.js", answer: () => file("text/javascript; charset=utf-8", START) },
    ...Object.entries(FILES).map(([name, type]) => ({
      path: `/docs/${name}`,
      answer: async () => file(type, await readOnce(name)),
    })),
  ];
}

function file(type: string, body: string | Buffer): Answer {
  return { status: 200, headers: { "content-type": type, "content-security-policy": POLICY }, body };
}

const read = new Map<string, Promise<Buffer>>();

async function readOnce(name: string): Promise<Buffer> {
  const reading = read.get(name) ?? readFile(join(directory, name));
  read.set(name, reading);
  return reading;
}
