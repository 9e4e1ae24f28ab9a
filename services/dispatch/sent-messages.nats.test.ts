import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ChatSink, startChatSink } from "../../test/harness/chat-sink.ts";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { occurrenceId } from "../calendar-events/domain/event/occurrence-id.ts";
import { createAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { createEvent, removeEvent, updateEvent } from "../contracts/calendar-events.contract.ts";
import { listPostHistory } from "../contracts/dispatch.contract.ts";
import { updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { dispatchService } from "./dispatch.service.ts";

const HOUR = 3_600_000;

describe("the message of a sent post", () => {
  let chat: ChatSink;
  let services: TestServices;

  beforeAll(async () => {
    chat = await startChatSink();
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [chat.sink], graceMs: 900_000 }),
    ]);
  });
  afterAll(async () => {
    await services.stop();
    await chat.stop();
  });

  /** A guild with the id of its channel, whose announcement of an event was sent. */
  async function sentPost(channel: string, onChange: "KEEP" | "EDIT" = "EDIT", recurs = false, more: object = {}) {
    const guildId = channel as GuildId;
    const rule = { type: "UNIVERSAL", hours: 1, minutes: 0, info: "", subscribersUser: ["42"], onChange } as const;
    const { id } = await services.call(createAnnouncement, { guildId, channel, ...rule, ...more });
    const startsAt = Date.now() + HOUR / 2;
    // The second occurrence of a series, so that it can be split there.
    const first = recurs ? startsAt - 24 * HOUR : startsAt;
    const event = { guildId, calendarNumber: 1, name: "Raid", startsAt: first, endsAt: first + HOUR };
    const series = recurs ? ({ recurs, recurrence: { frequency: "DAILY" } } as const) : {};
    const { eventId } = await services.call(createEvent, { ...event, ...series });
    await until(() => chat.server.messages(channel).length > 0, "sent");
    return { guildId, id, eventId, startsAt };
  }

  const title = (channel: string) => chat.server.messages(channel)[0]?.embeds[0]?.["title"];
  const history = (guildId: GuildId) => services.call(listPostHistory, { guildId, amount: -1 });
  /** The sent post. An event that was moved after it has another one, which is skipped. */
  const sent = async (guildId: GuildId) => (await history(guildId)).find(({ state }) => state === "sent");
  const steps = async (guildId: GuildId) => (await sent(guildId))?.steps?.map(({ step }) => step);

  /** The methods of the requests that changed the channel. */
  const requests = (channel: string) =>
    chat.server.requests
      .filter(({ method, path }) => method !== "GET" && path.includes(`/${channel}/`))
      .map(({ method }) => method);

  test("shows the event, the announcement and the settings as they are after each change, and pings nobody (D67)", async () => {
    const { guildId, id, eventId } = await sentPost("1");
    const ref = { guildId, calendarNumber: 1, eventId };
    await services.call(updateEvent, { ...ref, name: "Raid, later" });
    await until(() => title("1") === "Raid, later", "the event is shown");
    const { pings, content } = chat.server.messages("1")[0]!;
    expect([pings.users, content]).toEqual([[], "Subscribers: <@42>"]);
    await services.call(updateAnnouncement, { guildId, id, template: { title: "Soon: {name}" } });
    await until(() => title("1") === "Soon: Raid, later", "the template is shown");
    await services.call(updateGuildSettings, { guildId, lang: "SPANISH" });
    const isSpanish = () => JSON.stringify(chat.server.messages("1")[0]?.embeds).includes("Comienza");
    await until(isSpanish, "the language is shown");
    await until(async () => (await steps(guildId))?.join() === "EDITED,EDITED,EDITED", "the steps are in the history");
    await expect(history(guildId)).resolves.toMatchObject([
      { state: "sent", messageId: chat.server.messages("1")[0]!.id },
    ]);
    expect(chat.server.messages("1")).toHaveLength(1);
  });

  test("is marked as cancelled when its event is deleted, and stays", async () => {
    const { guildId, eventId } = await sentPost("2");
    await services.call(removeEvent, { guildId, calendarNumber: 1, eventId });
    await until(() => title("2") === "~~Raid~~", "marked");
    expect(chat.server.messages("2")).toMatchObject([{ embeds: [{ description: "Cancelled" }] }]);
    await until(async () => (await steps(guildId))?.join() === "CANCELLED", "the step is in the history");
  });

  test("follows its occurrence through a split of the series, and is marked when that one is cancelled", async () => {
    const { guildId, eventId, startsAt } = await sentPost("3", "EDIT", true);
    const idIn = (series: EventId) => occurrenceId(series, startsAt) as string as EventId;
    const split = { guildId, calendarNumber: 1, eventId: idIn(eventId), scope: "following", name: "Renamed" } as const;
    const { eventId: following } = (await services.call(updateEvent, split)) as { eventId?: EventId };
    await until(() => title("3") === "Renamed", "the new series is shown");
    await services.call(removeEvent, { guildId, calendarNumber: 1, eventId: idIn(following!), scope: "this" });
    await until(() => title("3") === "~~Renamed~~", "the occurrence is cancelled");
    expect(chat.server.messages("3")).toHaveLength(1);
  });

  test("that somebody deleted is neither edited nor sent again", async () => {
    const { guildId, eventId } = await sentPost("4");
    chat.server.remove(chat.server.messages("4")[0]!.id);
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Changed" });
    await until(async () => (await steps(guildId))?.join() === "GONE", "the step is in the history");
    const edits = () => chat.server.requests.filter(({ method, path }) => method === "PATCH" && path.includes("/4/"));
    const made = edits().length;
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Changed again" });
    // The next change is followed in another channel meanwhile.
    const other = await sentPost("5");
    await services.call(updateEvent, {
      guildId: other.guildId,
      calendarNumber: 1,
      eventId: other.eventId,
      name: "Other",
    });
    await until(() => title("5") === "Other", "the other message is edited");
    expect([chat.server.messages("4"), edits().length]).toEqual([[], made]);
  });

  test("stays as it was sent without on_change, and after the announcement was set to keep it", async () => {
    const kept = await sentPost("6", "KEEP");
    const edited = await sentPost("7");
    await services.call(updateAnnouncement, { guildId: edited.guildId, id: edited.id, onChange: "KEEP" });
    for (const { guildId, eventId } of [kept, edited]) {
      await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Changed" });
    }
    const other = await sentPost("8");
    await services.call(updateEvent, {
      guildId: other.guildId,
      calendarNumber: 1,
      eventId: other.eventId,
      name: "Other",
    });
    await until(() => title("8") === "Other", "the other message is edited");
    expect([title("6"), title("7")]).toEqual(["Raid", "Raid"]);
    await services.call(updateAnnouncement, { guildId: edited.guildId, id: edited.id, onChange: "EDIT" });
    await until(() => title("7") === "Changed", "the present state is shown");
  });

  test("is edited after failures of the receiver, and a refusal is in the history with its reason", async () => {
    const { guildId, eventId } = await sentPost("9");
    chat.server.script({ kind: "response", response: { status: 503, body: {} } });
    chat.server.script({ kind: "reset", accepted: true });
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Changed" });
    await until(async () => (await steps(guildId))?.join() === "EDITED", "edited", 20_000);
    const refusal = { status: 403, body: { code: 50013, message: "Missing Permissions" } };
    chat.server.script({ kind: "response", response: refusal });
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Refused" });
    await until(async () => (await steps(guildId))?.join() === "EDITED,FAILED", "refused");
    const post = await sent(guildId);
    expect(post?.steps?.at(-1)).toMatchObject({ reason: "edit failed: HTTP 403 50013 Missing Permissions" });
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, name: "Changed again" });
    await until(() => title("9") === "Changed again", "a later change is tried");
  });

  test("is deleted after the end of its event, not before, with the other messages of its post (D68)", async () => {
    const channel = "10";
    const guildId = channel as GuildId;
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "", cleanUp: 0 } as const;
    // More mentions than one message has room for.
    const subscribersUser = Array.from({ length: 150 }, (_, index) => String(10n ** 17n + BigInt(index)));
    const offsets = [{ anchor: "END", minutes: -1 }] as const;
    await services.call(createAnnouncement, { guildId, channel, ...rule, subscribersUser, offsets });
    const endsAt = Date.now() + 63_000;
    const event = { guildId, calendarNumber: 1, name: "Raid", startsAt: endsAt - HOUR, endsAt };
    const { eventId } = await services.call(createEvent, event);
    await until(() => chat.server.messages(channel).length === 2, "sent", 20_000);
    const newEnd = Date.now() + 2_000;
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, startsAt: newEnd - HOUR, endsAt: newEnd });
    await until(async () => (await steps(guildId))?.join() === "DELETED", "deleted", 20_000);
    expect([chat.server.messages(channel), requests(channel)]).toEqual([[], ["POST", "POST", "DELETE", "DELETE"]]);
    const post = await sent(guildId);
    expect(post).toMatchObject({ messageId: expect.any(String) });
    expect(post?.steps?.[0]?.at).toBeGreaterThanOrEqual(newEnd);
  });

  test("that somebody deleted counts as deleted (D68)", async () => {
    const { guildId, eventId } = await sentPost("11", "KEEP", false, { cleanUp: 0 });
    chat.server.remove(chat.server.messages("11")[0]!.id);
    const ended = { startsAt: Date.now() - 2 * HOUR, endsAt: Date.now() - HOUR };
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, ...ended });
    await until(async () => (await steps(guildId))?.join() === "DELETED", "deleted", 20_000);
    expect(requests("11")).toEqual(["POST", "DELETE"]);
  });
});
