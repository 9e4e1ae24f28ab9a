import { File } from "node:buffer";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createContext, type Context, Script, SourceTextModule } from "node:vm";
import { expect, describe, test } from "@jest/globals";
import { until } from "../../../test/harness/until.ts";
import { openapiText } from "../openapi/openapi-document.ts";
import { ROUTES } from "../route-table.ts";

const PAGE_URL = "http://localhost/docs";
const KEY = "key-that-is-entered";
const PATH = "/v2/events/get";
const SCRIPTS = join(import.meta.dirname, "docs");
const bundle = createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui-bundle.js");
const swaggerUi = new Script(readFileSync(bundle, "utf8"), { filename: bundle });

/** The API document with one operation: Swagger UI takes seconds for all of them. */
const DOCUMENT = openapiText(ROUTES.filter(({ paths }) => paths[0] === PATH));

/** Globals that Node shares with browsers; a new context has none of them. */
const WEB_CLASSES = { AbortController, AbortSignal, Blob, File, FormData, Headers, Request, Response };
const WEB_TEXTS = { TextDecoder, TextEncoder, URL, URLSearchParams };
const WEB_FUNCTIONS = { clearTimeout, console, queueMicrotask, setTimeout, structuredClone };

/** The parts of Swagger UI that the tests use. */
interface SwaggerUi {
  getSystem(): {
    readonly authActions: {
      authorizeWithPersistOption(keys: object): void;
      logoutWithPersistOption(names: readonly string[]): void;
    };
    readonly specActions: { execute(request: object): void };
    readonly specSelectors: { specJson(): { getIn(path: readonly string[]): unknown } };
  };
}

interface SwaggerUiOptions {
  readonly onComplete: () => void;
}

/** The session storage of a tab, which lasts when its pages are reloaded. */
function newTab(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const entries = new Map<string, string>();
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => void entries.set(name, value),
    removeItem: (name) => void entries.delete(name),
  };
}

/** The scripts of the page with the real Swagger UI, which renders nothing without a document. */
async function loadPage(sessionStorage: ReturnType<typeof newTab>) {
  const sent: (string | undefined)[] = [];
  let isComplete = false;
  let ui: SwaggerUi | undefined;
  const context = createContext({
    ...WEB_CLASSES,
    ...WEB_TEXTS,
    ...WEB_FUNCTIONS,
    document: { baseURI: PAGE_URL },
    location: new URL(PAGE_URL),
    sessionStorage,
    async fetch(url: string, options: { readonly headers?: Readonly<Record<string, string>> } = {}) {
      if (url === "openapi.json") return new Response(DOCUMENT);
      sent.push(options.headers?.["Authorization"]);
      return new Response("{}", { headers: { "content-type": "application/json" } });
    },
  });
  context["window"] = context;
  swaggerUi.runInContext(context);
  const start = context["SwaggerUIBundle"] as (options: object) => SwaggerUi;
  context["SwaggerUIBundle"] = (options: SwaggerUiOptions) => {
    const onComplete = () => {
      options.onComplete();
      isComplete = true;
    };
    return (ui = start({ ...options, onComplete, dom_id: null }));
  };
  await runModule("start.js", context);
  await until(() => isComplete, "Swagger UI has the document");
  const { authActions, specActions, specSelectors } = ui!.getSystem();
  const documentAt = (...path: readonly string[]) => specSelectors.specJson().getIn(path);
  return {
    /** Enters a key as the dialog "Authorize" does. */
    enter: (scheme: "key" | "bearer", value: string) =>
      authActions.authorizeWithPersistOption({
        [scheme]: { name: scheme, value, schema: documentAt("components", "securitySchemes", scheme) },
      }),
    logOut: () => authActions.logoutWithPersistOption(["key", "bearer"]),
    /** The Authorization header of a request that "Execute" sends. */
    async send(): Promise<string | undefined> {
      const count = sent.length;
      specActions.execute({ path: PATH, method: "post", operation: documentAt("paths", PATH, "post") });
      await until(() => sent.length > count, "a request");
      return sent.at(-1);
    },
  };
}

/** Runs a module of the page and the modules that it imports. */
async function runModule(file: string, context: Context): Promise<void> {
  const load = async (name: string): Promise<SourceTextModule> =>
    new SourceTextModule(await readFile(join(SCRIPTS, name), "utf8"), {
      context,
      initializeImportMeta: (meta) => void Object.assign(meta, { url: `${PAGE_URL}/${name}` }),
    });
  const main = await load(file);
  await main.link(load);
  await main.evaluate();
}

describe("an API key that is entered on the docs page", () => {
  test.each([
    ["key", KEY],
    ["bearer", `Bearer ${KEY}`],
  ] as const)("is sent with the page's requests (%s)", async (scheme, header) => {
    const page = await loadPage(newTab());
    expect(await page.send()).toBeUndefined();
    page.enter(scheme, KEY);
    expect(await page.send()).toBe(header);
  });

  test.each(["key", "bearer"] as const)("is still sent after the page was reloaded in the tab (%s)", async (scheme) => {
    const tab = newTab();
    (await loadPage(tab)).enter(scheme, KEY);
    expect(await (await loadPage(tab)).send()).toBe(KEY);
  });

  test("is not available in another tab", async () => {
    (await loadPage(newTab())).enter("key", KEY);
    expect(await (await loadPage(newTab())).send()).toBeUndefined();
  });

  test("is removed at a logout, also after the page was reloaded", async () => {
    const tab = newTab();
    const page = await loadPage(tab);
    page.enter("key", KEY);
    page.logOut();
    expect(await page.send()).toBeUndefined();
    expect(await (await loadPage(tab)).send()).toBeUndefined();
  });
});
