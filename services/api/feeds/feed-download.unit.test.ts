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

/** A download of a feed of so many pages, which fails where it is told to. */
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
  return { calls, defects, ask: (request = requestOf()) => download(request, "id-1") };
}

async function bodyOf({ body }: HttpResponse): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body as AsyncIterable<Buffer>) text += piece.toString();
  return text;
}

describe("a feed that is sent", () => {
  test("is one body where it has one page, and pieces where it has more", async () => {
    const one = await downloadOf(1).ask();
    expect([one.status, one.body]).toEqual([200, "page 1"]);
    const { ask, calls } = downloadOf(3);
    const answer = await ask();
    expect(calls).toEqual(["open", "1"]);
    expect(await bodyOf(answer)).toBe("page 1page 2page 3");
    expect(calls).toEqual(["open", "1", "2", "3"]);
  });

  test("has no page read for a reader of the headers", async () => {
    const { ask, calls } = downloadOf(3);
    const { status, headers } = await ask(requestOf("HEAD"));
    expect([status, headers["etag"], calls]).toEqual([200, '"t"', ["open"]]);
  });

  test.each([
    ["the calendar may not be had any more", asError(refuse("CALENDAR_NOT_FOUND")), "FEED_NOT_FOUND"],
    ["its owner is not there", asError(refuse("UNAVAILABLE")), "UNAVAILABLE"],
  ])("is refused where %s", async (_title, error, refusal) => {
    const { ask } = downloadOf(1, { failing: new Map([["open", error]]) });
    await expect(ask()).rejects.toMatchObject({ refusal: { refusal } });
  });

  test("has a status where its first page cannot be read, and breaks where another cannot", async () => {
    const first = downloadOf(3, { failing: new Map([["1", asError(refuse("UNAVAILABLE"))]]) });
    await expect(first.ask()).rejects.toBeInstanceOf(RequestRefused);
    const second = downloadOf(3, { failing: new Map([["2", asError(refuse("UNAVAILABLE"))]]) });
    await expect(bodyOf(await second.ask())).rejects.toBeInstanceOf(StreamBroken);
    const unforeseen = downloadOf(3, { failing: new Map([["2", new Error("unforeseen")]]) });
    await expect(bodyOf(await unforeseen.ask())).rejects.toBeInstanceOf(StreamBroken);
    expect([second.defects.length, unforeseen.defects.length]).toEqual([0, 1]);
  });

  test("waits where four of its guild are under way, until one of them is taken", async () => {
    const { ask, calls } = downloadOf(2);
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    const pagesRead = () => calls.filter((call) => call !== "open").length;
    const fifth = ask();
    await new Promise((wake) => setImmediate(wake));
    expect(pagesRead()).toBe(4);
    answers[0]?.onClose?.();
    expect((await fifth).status).toBe(200);
    expect(pagesRead()).toBe(5);
  });

  test("waits where sixteen are under way to its address, whichever guilds they are of", async () => {
    let guilds = 0;
    const { ask, calls } = downloadOf(2, { guild: () => String((guilds += 1)) });
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask()));
    const next = ask();
    await new Promise((wake) => setImmediate(wake));
    expect(calls.filter((call) => call !== "open")).toHaveLength(16);
    for (const { onClose } of answers) onClose?.();
    expect((await next).status).toBe(200);
  });

  test("leaves its place to the next where it could not be begun", async () => {
    const failing = new Map<string, unknown>([["1", asError(refuse("UNAVAILABLE"))]]);
    const { ask } = downloadOf(2, { failing });
    for (let at = 0; at < 6; at += 1) await expect(ask()).rejects.toBeInstanceOf(RequestRefused);
    failing.clear();
    expect((await ask()).status).toBe(200);
  });
});
