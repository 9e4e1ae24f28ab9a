import { type GuildcalClient, isApiError, isNoResponseError } from "../../../../clients/http/src/index.ts";
import { occurrenceId } from "../../../../services/calendar-events/domain/event/occurrence-id.ts";
import type { EventId } from "../../../../services/contracts/ids.ts";
import { recordKey, type SeenChange } from "./changes-verdict.ts";

/** The acknowledged writes of a guild: their number for each record. */
export class Acknowledged {
  readonly writes = new Map<string, number>();
  count = 0;

  add(record: Pick<SeenChange, "kind" | "id">): void {
    const key = recordKey(record);
    this.writes.set(key, (this.writes.get(key) ?? 0) + 1);
    this.count += 1;
  }
}

/** The guild of a writer, and an announcement whose fields the writer changes. */
export interface WrittenGuild {
  readonly guildId: string;
  readonly announcementId: string;
}

const START = 1_893_783_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/**
 * Of twenty writes thirteen create an event, two change one, two change an occurrence of a series (which is a transaction, so that
 * it is stored a while after it got its time), two delete an event, and one changes another record.
 */
const TURNS = 20;
const OCCURRENCE_TURNS = new Set([5, 14]);

/** Makes `count` writes in a guild, one after the other; each is repeated until it is acknowledged. */
export async function writeChanges(
  client: GuildcalClient,
  { guildId, announcementId }: WrittenGuild,
  count: number,
  acknowledged: Acknowledged,
): Promise<void> {
  const calendar = { guild_id: guildId, calendar_number: 1 };
  const live: string[] = [];

  async function create(): Promise<void> {
    const times = { epoch_start: START, epoch_end: START + HOUR_MS };
    const { data } = await client.request("/v2/events/create", { ...calendar, ...times });
    live.push(data.id);
    acknowledged.add({ kind: "event", id: data.id });
  }

  async function changeOccurrence(series: string, n: number): Promise<void> {
    const event_id = occurrenceId(series as EventId, START + (n % 100) * DAY_MS);
    await untilAcknowledged(() => client.request("/v2/events/update", { ...calendar, event_id, name: `write ${n}` }));
    acknowledged.add({ kind: "event", id: series });
  }

  async function change(n: number): Promise<void> {
    const event_id = live[n % live.length] as string;
    await untilAcknowledged(() => client.request("/v2/events/update", { ...calendar, event_id, name: `write ${n}` }));
    acknowledged.add({ kind: "event", id: event_id });
  }

  async function remove(n: number): Promise<void> {
    const [event_id] = live.splice(n % live.length, 1) as [string];
    await untilAcknowledged(() => client.request("/v2/events/delete", { ...calendar, event_id }));
    acknowledged.add({ kind: "event", id: event_id });
  }

  /** Settings, calendar and announcement in turn: their owners are killed, too. */
  async function changeOther(n: number): Promise<void> {
    const turn = Math.floor(n / TURNS) % 3;
    if (turn === 0) {
      const settings = { guild_id: guildId, prefix: `p${n % 97}` };
      await untilAcknowledged(() => client.request("/v2/guild/settings/update", settings));
      acknowledged.add({ kind: "settings", id: guildId });
    } else if (turn === 1) {
      await untilAcknowledged(() => client.request("/v2/calendar/update", { ...calendar, name: `calendar ${n}` }));
      acknowledged.add({ kind: "calendar", id: "1" });
    } else {
      const rule = { guild_id: guildId, id: announcementId, info: `info ${n}` };
      await untilAcknowledged(() => client.request("/v1/announcement/update", rule));
      acknowledged.add({ kind: "announcement", id: announcementId });
    }
  }

  const recurrence = { frequency: "DAILY", interval: 1, count: -1 } as const;
  const first = { ...calendar, recur: true, recurrence, epoch_start: START, epoch_end: START + HOUR_MS };
  const { id: series } = (await client.request("/v2/events/create", first)).data;
  for (let n = 0; n < count; n += 1) {
    const turn = n % TURNS;
    if (turn === TURNS - 1) await changeOther(n);
    else if (OCCURRENCE_TURNS.has(turn)) await changeOccurrence(series, n);
    else if (turn % 9 === 8) await remove(n);
    else if (turn % 3 === 2) await change(n);
    else await create();
  }
}

/**
 * Repeats a write after an unknown outcome, which the client does only for those with an idempotency key. It may be done twice
 * then. The record of a repeated delete may be gone already.
 */
export async function untilAcknowledged(request: () => Promise<unknown>): Promise<void> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      await request();
      return;
    } catch (error) {
      if (isRepeated && isApiError(error) && error.status === 404) return;
      if (!isNoResponseError(error) && !(isApiError(error) && error.status >= 500)) throw error;
    }
  }
}
