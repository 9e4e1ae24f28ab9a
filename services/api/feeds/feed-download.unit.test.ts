import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { refuse } from "../../contracts/errors.ts";
import { asError } from "../../../mixins/actions/contract-action.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { Feed } from "../domain/feed.ts";
import { type HttpResponse, StreamBroken } from "../http/http-response.ts";
import { RequestRefused } from "../request-handler.ts";
import { feedDownload } from "./feed-download.ts";

function feedOf(guildId: string): Feed {
  const secret = { digest: "", pepperId: "" };
  return { id: "f", guildId: guildId as GuildId, calendarNumber: 1, label: "", createdAt: 1, secret };
}

function requestOf(method = "GET", headers: object = {}): IncomingMessage {
  return { method, url: "/v2/calendar/feed/x.ics", headers } as IncomingMessage;
}

/** A download of a feed with a number of pages, in which some reads fail. */
function downloadOf(
  pages: number,
  { failing = new Map<string, unknown>(), guild = (): string => "1", address = "10.0.0.1" } = {},
) {
  const calls: string[] = [];
  const defects: unknown[] = [];
  const download = feedDownload({
    admit: async () => ({ feed: feedOf(guild()), address }),
    call: async ({ name }, params) => {
      const { cursor = "" } = params as { readonly cursor?: string };
      const at = name.endsWith("openFeed") ? "open" : cursor;
      calls.push(at);
      if (failing.has(at)) throw failing.get(at);
      if (at === "open") return { tag: "t", cursor: "1" } as never;
      const next = Number(at) + 1;
      return { text: `page ${at}`, ...(next > pages ? {} : { next: String(next) }) } as never;
    },
    onDefect: (error) => defects.push(error),
  });
  return { calls, defects, get: (request = requestOf()) => download(request, "id-1") };
}

async function bodyOf({ body }: HttpResponse): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body as AsyncIterable<Buffer>) text += piece.toString();
  return text;
}

describe("the download of a feed", () => {
  test("is one body for a single page, and a stream for several pages", async () => {
    const one = await downloadOf(1).get();
    expect([one.status, one.body]).toEqual([200, "page 1"]);
    const { get, calls } = downloadOf(3);
    const response = await get();
    expect(calls).toEqual(["open", "1"]);
    expect(await bodyOf(response)).toBe("page 1page 2page 3");
    expect(calls).toEqual(["open", "1", "2", "3"]);
  });

  test("reads no page for a HEAD request", async () => {
    const { get, calls } = downloadOf(3);
    const { status, headers } = await get(requestOf("HEAD"));
    expect([status, headers["etag"], calls]).toEqual([200, '"t"', ["open"]]);
  });

  test.each([
    ["the guild may no longer have the calendar", asError(refuse("CALENDAR_NOT_FOUND")), "FEED_NOT_FOUND"],
    ["calendar-events is not available", asError(refuse("UNAVAILABLE")), "UNAVAILABLE"],
  ])("is refused if %s", async (_title, error, refusal) => {
    const { get } = downloadOf(1, { failing: new Map([["open", error]]) });
    await expect(get()).rejects.toMatchObject({ refusal: { refusal } });
  });

  test("has an error status if its first page cannot be read, and breaks off if a later one cannot", async () => {
    const first = downloadOf(3, { failing: new Map([["1", asError(refuse("UNAVAILABLE"))]]) });
    await expect(first.get()).rejects.toBeInstanceOf(RequestRefused);
    const second = downloadOf(3, { failing: new Map([["2", asError(refuse("UNAVAILABLE"))]]) });
    await expect(bodyOf(await second.get())).rejects.toBeInstanceOf(StreamBroken);
    const unforeseen = downloadOf(3, { failing: new Map([["2", new Error("unforeseen")]]) });
    await expect(bodyOf(await unforeseen.get())).rejects.toBeInstanceOf(StreamBroken);
    expect([second.defects.length, unforeseen.defects.length]).toEqual([0, 1]);
  });

  test("waits if four of its guild are being sent, until one of them ends", async () => {
    const { get, calls } = downloadOf(2);
    const downloads = await Promise.all([get(), get(), get(), get()]);
    const pagesRead = () => calls.filter((call) => call !== "open").length;
    const fifth = get();
    await new Promise((wake) => setImmediate(wake));
    expect(pagesRead()).toBe(4);
    downloads[0]?.onClose?.();
    expect((await fifth).status).toBe(200);
    expect(pagesRead()).toBe(5);
  });

  test("waits if sixteen are being sent to its address, of any guilds", async () => {
    let guilds = 0;
    const { get, calls } = downloadOf(2, { guild: () => String((guilds += 1)) });
    const downloads = await Promise.all(Array.from({ length: 16 }, () => get()));
    const next = get();
    await new Promise((wake) => setImmediate(wake));
    expect(calls.filter((call) => call !== "open")).toHaveLength(16);
    for (const { onClose } of downloads) onClose?.();
    expect((await next).status).toBe(200);
  });

  test("releases its slot if it could not be started", async () => {
    const failing = new Map<string, unknown>([["1", asError(refuse("UNAVAILABLE"))]]);
    const { get } = downloadOf(2, { failing });
    for (let at = 0; at < 6; at += 1) await expect(get()).rejects.toBeInstanceOf(RequestRefused);
    failing.clear();
    expect((await get()).status).toBe(200);
  });
});
