import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { guildcalClient, isApiError, isNoResponseError } from "../../clients/http/src/index.ts";
import { type StartedProcesses, startProcesses } from "../harness/started-processes.ts";
import { serviceProcess } from "../harness/service-process.ts";
import { until } from "../harness/until.ts";

const GUILD = "375357265198317579";
const EVENT = { guild_id: GUILD, calendar_number: 1, epoch_start: 1_893_783_600_000, epoch_end: 1_893_790_800_000 };
const WRITERS = 8;
const EVENTS_PER_WRITER = 60;
/** The processes to kill, one after the other; nats-server is found by its option. */
const KILLED = ["calendar-events", "api", "--addr", "api"];

describe("the changes of a guild, with a process for each service", () => {
  let service: StartedProcesses;

  beforeAll(async () => {
    service = await startProcesses();
  });
  afterAll(() => service.stop());

  const client = () =>
    guildcalClient({ baseUrl: service.baseUrl, key: service.key, timeoutMs: 120_000, maxAttempts: 100 });

  test("each of 480 events is once in the stream and in the list, while gateway, owners and NATS are killed and the readers start again", async () => {
    const created: string[] = [];
    const writing = Array.from({ length: WRITERS }, async () => {
      const writer = client();
      for (let n = 0; n < EVENTS_PER_WRITER; n += 1) {
        const { data } = await writer.request("/v2/events/create", EVENT);
        created.push(data.id);
      }
    });
    const ended = new AbortController();
    const [streamed, listed]: [string[], string[]] = [[], []];
    const readers = [readStream(streamed, ended.signal), readLists(listed, ended.signal)];

    for (const [at, name] of KILLED.entries()) {
      const enough = ((at + 1) * WRITERS * EVENTS_PER_WRITER) / (KILLED.length + 2);
      await until(() => created.length > enough, "further events", 60_000);
      await until(() => serviceProcess(service.pid, name).then(kill, () => false), `${name} is killed`);
    }
    await Promise.all(writing);
    const isComplete = (seen: readonly string[]) => created.every((id) => seen.includes(id));
    await until(() => isComplete(streamed) && isComplete(listed), "all events are read", 60_000, 200);
    ended.abort();
    await Promise.all(readers);
    expect(created).toHaveLength(WRITERS * EVENTS_PER_WRITER);
    expect([repeatedIn(streamed), repeatedIn(listed)]).toEqual([[], []]);
    expect([streamed.length, listed.length]).toEqual([created.length, created.length]);
  }, 180_000);

  function kill(pid: number): boolean {
    return process.kill(pid, "SIGKILL");
  }

  /** Follows the stream with a new client after every few pages. */
  async function readStream(seen: string[], signal: AbortSignal): Promise<void> {
    let syncToken: string | undefined;
    try {
      for (;;) {
        let pages = 0;
        for await (const page of client().follow(GUILD, { syncToken, signal })) {
          seen.push(...page.changes.map(({ id }) => id));
          syncToken = page.syncToken;
          if ((pages += 1) === 7) break;
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Reads the list with a new client each time, and with a limit that is smaller than what has changed. */
  async function readLists(seen: string[], signal: AbortSignal): Promise<void> {
    let sync_token: string | undefined;
    while (!signal.aborted) {
      const body = { guild_id: GUILD, limit: 10, ...(sync_token === undefined ? {} : { sync_token }) };
      try {
        const { data } = await client().request("/v2/changes", body, { signal });
        seen.push(...data.changes.map(({ id }) => id));
        sync_token = data.sync_token;
      } catch (error) {
        if (!signal.aborted && !isApiError(error) && !isNoResponseError(error)) throw error;
      }
    }
  }
});

function repeatedIn(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}
