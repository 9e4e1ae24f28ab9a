import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { consolePages } from "./console.pages.ts";

const MAX_BYTES = 200_000;
const FOLDER = join(import.meta.dirname, "console");
const pages = new Map(consolePages().map((page) => [page.path, page]));
const files = [...pages].filter(([path]) => path !== "/console/");

const get = async (path: string, acceptsGzip = true, ifNoneMatch?: string) => {
  const { status, headers, body } = await pages.get(path)!.respond(acceptsGzip, ifNoneMatch);
  return { status, headers, body: Buffer.from(body as Buffer) };
};

/** The files that a module imports, the page links and so on, by their paths. */
function linksIn(path: string, text: string): string[] {
  const links = path.endsWith(".js")
    ? [...text.matchAll(/\bfrom "(\.[^"]+)";/g)]
    : [...text.matchAll(/(?:src|href)="([^"]+)"/g)];
  return links.map(([, link]) => new URL(link!, `http://host${path}`).pathname);
}

describe("the console", () => {
  test("has fewer than 200 kB, compressed, in all", async () => {
    const responses = await Promise.all(files.map(([path]) => get(path)));
    const bytes = responses.reduce((sum, { body }) => sum + body.length, 0);
    expect(files.length).toBeGreaterThan(30);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test("every file refuses inline scripts and styles, outside sources and frames", async () => {
    for (const [path] of files) {
      const { headers } = await get(path);
      const policy = headers["content-security-policy"]!.split("; ");
      expect([path, policy[0]]).toEqual([path, "default-src 'none'"]);
      expect(policy).toEqual(expect.arrayContaining(["frame-ancestors 'none'", "require-trusted-types-for 'script'"]));
      expect(policy.filter((part) => /unsafe|https?:|data:|\*/.test(part))).toEqual([]);
    }
  });

  test("the page has no inline script or style, and every link of a file is a file that is served", async () => {
    const html = readFileSync(join(FOLDER, "index.html"), "utf8");
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
    const linked = new Set(["/console"]);
    for (const path of linked) {
      for (const link of linksIn(path, (await get(path, false)).body.toString())) linked.add(link);
    }
    expect([...linked].toSorted()).toEqual(files.map(([path]) => path).toSorted());
  });

  test("texts are never parsed as HTML", () => {
    const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function|localStorage|cookie/;
    expect(sources.length).toBeGreaterThan(30);
    expect(sources.filter((name) => unsafe.test(readFileSync(join(FOLDER, name), "utf8")))).toEqual([]);
  });

  test("tests, types and texts of the folder are not served", () => {
    expect(files.filter(([path]) => !/^\/console(?:$|\/[\w/-]+\.(?:js|css|svg)$)/.test(path))).toEqual([]);
  });

  test("a file is compressed for those who accept it, and has the same content", async () => {
    const [plain, compressed] = [await get("/console/main.js", false), await get("/console/main.js")];
    expect(compressed.headers["content-encoding"]).toBe("gzip");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  });

  test("a browser that has the current file gets no second copy, and one that has another gets the file", async () => {
    const { headers } = await get("/console");
    expect(headers).toMatchObject({ "cache-control": "no-cache", etag: expect.stringMatching(/^W\/"[\w-]{22}"$/) });
    const unchanged = await get("/console", true, `"other", ${headers["etag"]}`);
    expect([unchanged.status, unchanged.body.length, unchanged.headers["etag"]]).toEqual([304, 0, headers["etag"]]);
    expect((await get("/console", true, '"other"')).status).toBe(200);
  });

  test("a slash at the end leads to the page, also behind a proxy with a path prefix", async () => {
    expect(await pages.get("/console/")!.respond(false)).toMatchObject({
      status: 308,
      headers: { location: "../console" },
    });
  });
});
