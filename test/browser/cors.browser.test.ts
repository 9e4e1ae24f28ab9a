import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Browser, chromium } from "playwright-core";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { ConsoleUnderTest, type Guild, OPERATOR_KEY } from "./console-under-test.ts";

/** A page of another origin than the service's. */
async function startPage(port: number): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A dashboard</title>");
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe("a page of another origin in a browser", () => {
  let service: ConsoleUnderTest;
  let browser: Browser;
  let guild: Guild;
  const pages: Server[] = [];

  beforeAll(async () => {
    for (const port of [await freePort(0), await freePort(0)]) pages.push(await startPage(port));
    service = await ConsoleUnderTest.start({ CORS_ORIGINS: originOf(pages[0]!) });
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"]!,
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    });
    guild = await service.newGuild();
    await guild.event("2026-11-25T19:00:00Z", { name: "Raid night" });
  });
  afterAll(async () => {
    await browser.close();
    await service.end();
    for (const page of pages) page.close();
  });

  /** Reads the stream of changes in the page until its first change; and the ETag of an event. */
  async function readIn(origin: string): Promise<string> {
    const page = await browser.newPage();
    await page.goto(origin);
    const result = await page.evaluate(
      async ({ baseUrl, key, guildId }) => {
        try {
          const headers = { Authorization: `Bearer ${key}` };
          const response = await fetch(`${baseUrl}/v2/changes/stream?guild_id=${guildId}`, { headers });
          const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          while (!text.includes("Raid night")) text += (await reader.read()).value ?? "";
          await reader.cancel();
          const token = /^id: (.+)$/m.exec(text)?.[1] ?? "";
          const again = await fetch(`${baseUrl}/v2/changes/stream?guild_id=${guildId}`, {
            headers: { ...headers, "Last-Event-ID": token },
          });
          const settings = await fetch(`${baseUrl}/v2/guild/settings/get`, {
            method: "POST",
            headers: { ...headers, "Content-Type": "application/json" },
            body: JSON.stringify({ guild_id: guildId }),
          });
          return `${response.status} ${again.status} ${settings.status} ${settings.headers.has("etag")}`;
        } catch (error) {
          return String(error);
        }
      },
      { baseUrl: service.baseUrl, key: OPERATOR_KEY, guildId: guild.id },
    );
    await page.close();
    return result;
  }

  test("that is allowed reads the stream of changes, goes on after its last event, and reads ETags", async () => {
    expect(await readIn(originOf(pages[0]!))).toBe("200 200 200 true");
  });

  test("that is not allowed reads nothing", async () => {
    expect(await readIn(originOf(pages[1]!))).toBe("TypeError: Failed to fetch");
  });

  test("cannot show the console in a frame", async () => {
    const page = await browser.newPage();
    await page.goto(originOf(pages[0]!));
    await page.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      return new Promise((resolve) => frame.addEventListener("load", resolve));
    }, `${service.baseUrl}/console`);
    expect(page.frames().some((frame) => frame.url().startsWith(service.baseUrl))).toBe(false);
    await page.close();
  });
});
