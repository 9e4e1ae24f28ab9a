import { expect } from "@jest/globals";
import { IMPORT_PATH } from "../../services/api/imports/calendar-import.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "./test-gateway.ts";

const DAY = 86_400_000;
/** The start of the window that `list` reads. */
export const MARCH = Date.UTC(2026, 2, 1);
const OPERATOR_KEY = "operator-key-of-the-tests";

let guilds = 800;

/**
 * A gateway with replicas of the owner of events, for guilds of at most 60 events. `through` changes the MongoDB URL of the
 * replicas.
 */
export async function startImportGateway({
  replicas = 1,
  through = (mongoUrl: string) => mongoUrl,
} = {}): Promise<TestGateway> {
  const rates = { perKey: 0, perGuild: 0, failedKeysPerAddress: 0, trustedProxies: ["127.0.0.1"] };
  const gateway = await startTestGateway(
    (mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      ...Array.from({ length: replicas }, () =>
        calendarEventsService({ mongoUrl: through(mongoUrl), eventsPerGuild: 60 }),
      ),
      standIn("announcements"),
      standIn("dispatch"),
      standIn("webhooks"),
    ],
    { apiKey: OPERATOR_KEY, rates },
  );
  await untilReady(gateway);
  return gateway;
}

/** A calendar with these VEVENTs; each is its lines without BEGIN and END. */
export function vcalendar(...events: readonly string[]): string {
  const components = events.map((lines) => `BEGIN:VEVENT\r\n${lines.replaceAll("\n", "\r\n")}\r\nEND:VEVENT\r\n`);
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${components.join("")}END:VCALENDAR\r\n`;
}

/** The number of VEVENTs by outcome, in the response to an import. */
export function counts({ created, updated, deleted, unchanged, skipped }: Record<string, unknown>) {
  return { created, updated, deleted, unchanged, skipped };
}

export const none = { created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0 };

/** A guild of its own, with requests for one of its calendars. */
export function newImportGuild(gateway: TestGateway, calendar_number = 1) {
  const guild_id = String((guilds += 1));
  const where = { guild_id, calendar_number };
  const ask = async (path: string, body: object) => {
    const answer = await gateway.post(path, body);
    expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
    return answer.body;
  };
  const send = (body: string, query = "", headers: Record<string, string> = {}) =>
    gateway.request(`${IMPORT_PATH}?guild_id=${guild_id}&calendar_number=${calendar_number}${query}`, {
      method: "POST",
      headers: { authorization: OPERATOR_KEY, "content-type": "text/calendar", ...headers },
      body,
    });
  const load = async (body: string, query = "") => {
    const answer = await send(body, query);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return JSON.parse(answer.text) as Record<string, unknown>;
  };
  const list = async () => {
    const window = { epoch_start: MARCH, epoch_end: MARCH + 100 * DAY };
    const { events } = await ask("/v2/events/list/range", { ...where, ...window });
    return events as Record<string, unknown>[];
  };
  return { guild_id, where, ask, send, load, list };
}
