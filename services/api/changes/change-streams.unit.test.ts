import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "../../../test/harness/until.ts";
import type { Caller } from "../../contracts/contract.ts";
import { refuse } from "../../contracts/errors.ts";
import type { GuildChange } from "../../contracts/guild-changes.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { FIRST_POSITION, perKind, type SyncPosition } from "../domain/sync-position.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { RequestRefused } from "../request-handler.ts";
import { ChangeStreams, type STREAM_LIMITS } from "./change-streams.ts";
import type { ChangesReader } from "./changes-reader.ts";

const caller: Caller = { keyId: "k", kind: "guild", access: "read", guilds: ["1", "2"] };

/** A guild whose only kind of record is an event, which is written once for each time. */
class FakeChanges {
  reads = 0;
  written: EpochMs = 0;
  failure: Error | undefined;
  readonly reader: Pick<ChangesReader, "positionOf"> & { read: ChangesReader["read"] } = {
    positionOf: (_guild, token) => (token === "bad" ? refuse("SYNC_TOKEN_EXPIRED") : positionAt(Number(token ?? 0))),
    read: async (_guild, position, limit) => {
      this.reads += 1;
      if (this.failure !== undefined) throw this.failure;
      const from = position.event.at;
      const through = Math.min(this.written, from + limit);
      const changes = Array.from({ length: through - from }, (_, n) => change(from + n + 1));
      const next = positionAt(through);
      const page = { changes, syncToken: String(through), position: next, readAt: through };
      return { ...page, more: through < this.written, isHeldBack: false };
    },
  };
}

function positionAt(at: EpochMs): SyncPosition {
  return perKind((kind) => (kind === "event" ? { at, id: "", delivered: [] } : FIRST_POSITION[kind]));
}

function change(n: number): GuildChange {
  return { kind: "event", id: String(n), revision: 1, changedAt: n, deleted: true };
}

describe("streams of changes", () => {
  const opened: { streams: ChangeStreams; responses: HttpResponse[] }[] = [];
  afterEach(() => {
    for (const { streams, responses } of opened.splice(0)) {
      streams.close();
      for (const { onClose } of responses) onClose?.();
    }
  });

  function setUp(limits: Partial<typeof STREAM_LIMITS> = {}) {
    const changes = new FakeChanges();
    const defects: unknown[] = [];
    const state = { caller: caller as Caller | undefined, admits: 0 };
    const streams = new ChangeStreams({
      admission: {
        admit: async () => ({ caller, standings: [] }),
        readmit: async () => {
          state.admits += 1;
          return state.caller;
        },
        admitToGuild: (_guild, allowed) => allowed,
      },
      reader: changes.reader,
      onDefect: (error) => defects.push(error),
      limits: { gatherMs: 0, ...limits },
    });
    const responses: HttpResponse[] = [];
    opened.push({ streams, responses });
    const open = async (query = "guild_id=1", headers: Record<string, string> = {}, method = "GET") => {
      const request = { url: `/v2/changes/stream?${query}`, headers, method } as never as IncomingMessage;
      const response = await streams.respond(request, "r");
      responses.push(response);
      return response;
    };
    return { changes, defects, state, streams, open };
  }

  /** Reads a stream into a list until it ends. */
  function readPieces({ body, onClose }: HttpResponse) {
    const pieces: string[] = [];
    const state = { isOver: false };
    const reading = (async () => {
      for await (const piece of body as AsyncIterable<Buffer>) pieces.push(String(piece));
      state.isOver = true;
    })();
    return { pieces, state, reading, onClose };
  }

  const refusalOf = async (pending: Promise<unknown>) => {
    const error = await pending.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestRefused);
    return (error as RequestRefused).refusal;
  };

  test("has an event with the token as its id for each page, then a comment with the token", async () => {
    const { changes, open } = setUp({ changesPerEvent: 2, pollMs: 20 });
    changes.written = 3;
    const { pieces } = readPieces(await open());
    await until(() => pieces.length > 3, "two events and a comment");
    expect(pieces[0]).toMatch(/^retry: [1-5]\d{3}\n\n$/);
    expect(pieces[1]).toMatch(/^event: changes\nid: 2\ndata: \{"changes":\[.*\],"more":true\}\n\n$/);
    expect(pieces[2]).toMatch(/^event: changes\nid: 3\ndata: \{"changes":\[.*\],"more":false\}\n\n$/);
    expect(pieces[3]).toBe(": heartbeat\nid: 3\n\n");
  });

  test("goes on after the token in the query, and rather after the last id that the client has read", async () => {
    const { changes, open } = setUp();
    changes.written = 5;
    const byToken = readPieces(await open("guild_id=1&sync_token=4"));
    const byId = readPieces(await open("guild_id=1&sync_token=1", { "last-event-id": "3" }));
    await until(() => byToken.pieces.length > 1 && byId.pieces.length > 1, "the events");
    expect(byToken.pieces[1]).toContain('"id":"5"');
    expect(byToken.pieces[1]).not.toContain('"id":"4"');
    expect(byId.pieces[1]).toContain('"id":"4"');
    expect(byId.pieces[1]).not.toContain('"id":"3"');
  });

  test("sends a change at its broadcast, and without a broadcast at the next poll", async () => {
    const { changes, streams, open } = setUp({ pollMs: 100_000 });
    const { pieces } = readPieces(await open());
    await until(() => pieces.length === 2, "the first heartbeat");
    changes.written = 1;
    streams.wake("2");
    streams.wake("1");
    await until(() => pieces.length === 3, "the event");
    expect(pieces[2]).toContain("id: 1\n");

    const polled = setUp({ pollMs: 20 });
    const other = readPieces(await polled.open());
    await until(() => other.pieces.length > 1, "the first heartbeat");
    polled.changes.written = 1;
    await until(() => other.pieces.some((piece) => piece.startsWith("event")), "the event");
  });

  test("a thousand streams of a guild at one position cost one read for each wake", async () => {
    const { changes, streams, open } = setUp({ perKey: 1_000, pollMs: 100_000 });
    const readers = await Promise.all(Array.from({ length: 1_000 }, async () => readPieces(await open())));
    await until(() => readers.every(({ pieces }) => pieces.length === 2), "the first heartbeats");
    const before = changes.reads;
    changes.written = 1;
    streams.wake("1");
    await until(() => readers.every(({ pieces }) => pieces.length === 3), "the events");
    expect(changes.reads - before).toBeLessThanOrEqual(2);
  });

  test("a client that reads nothing causes no further read", async () => {
    const { changes, streams, open } = setUp({ changesPerEvent: 1, pollMs: 10 });
    changes.written = 1_000;
    const { body } = await open();
    const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.next();
    const held = changes.reads;
    const other = readPieces(await open("guild_id=1&sync_token=1000"));
    streams.wake("1");
    await until(() => other.pieces.filter((piece) => piece.startsWith(": heartbeat")).length > 2, "some polls");
    expect(changes.reads - held).toBeLessThanOrEqual(other.pieces.length + 2);
    expect(String((await pieces.next()).value)).toContain("id: 2\n");
  });

  test("a key and a gateway have a limited number of streams, which end with their connections", async () => {
    const { streams, open } = setUp({ perKey: 2, inAll: 3 });
    const first = await open();
    await open();
    expect(await refusalOf(open())).toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    first.onClose?.();
    first.onClose?.();
    expect(streams.size).toBe(1);
    await open();
    expect(await refusalOf(open())).toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    const { open: openAny, streams: few } = setUp({ perKey: 10, inAll: 3 });
    await Promise.all([openAny(), openAny(), openAny()]);
    expect(await refusalOf(openAny())).toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    expect(few.size).toBe(3);
  });

  test("the pages of a guild's streams are read one after the other, and those of another guild meanwhile", async () => {
    const { changes, open } = setUp({ changesPerEvent: 1 });
    changes.written = 3;
    const { promise: mayRead, resolve: proceed } = Promise.withResolvers<void>();
    const { read } = changes.reader;
    const running = new Map<string, number>();
    let most = 0;
    changes.reader.read = async (guild, ...rest) => {
      running.set(guild, (running.get(guild) ?? 0) + 1);
      most = Math.max(most, running.get(guild) as number);
      await mayRead;
      running.set(guild, (running.get(guild) as number) - 1);
      return read(guild, ...rest);
    };
    const at = (guild: string, token: number) => open(`guild_id=${guild}&sync_token=${token}`);
    const readers = [await at("1", 0), await at("1", 1), await at("1", 2), await at("2", 0)].map(readPieces);
    await until(() => running.size === 2, "a read of each guild");
    proceed();
    const isRead = ({ pieces }: { readonly pieces: readonly string[] }) =>
      pieces.some((piece) => piece.includes("id: 3\n"));
    await until(() => readers.every(isRead), "every stream has the last change");
    expect(most).toBe(1);
  });

  test("a HEAD request gets the headers, and opens no stream", async () => {
    const { streams, open } = setUp();
    const response = await open("guild_id=1", {}, "HEAD");
    expect([response.status, response.headers["content-type"], streams.size]).toEqual([200, "text/event-stream", 0]);
  });

  test("a stop of the gateway ends all streams, and refuses new ones with 503", async () => {
    const { streams, open } = setUp();
    const readers = [readPieces(await open()), readPieces(await open("guild_id=2"))];
    await until(() => readers.every(({ pieces }) => pieces.length === 2), "the first heartbeats");
    streams.close();
    await Promise.all(readers.map(({ reading }) => reading));
    expect(readers.map(({ state }) => state.isOver)).toEqual([true, true]);
    expect(await refusalOf(open())).toMatchObject({ refusal: "UNAVAILABLE" });
  });

  test("a stream whose key was revoked, or has no access any more, ends without another change", async () => {
    for (const now of [undefined, { ...caller, guilds: ["2"] }]) {
      const { changes, streams, state, open } = setUp();
      const { pieces, reading } = readPieces(await open());
      await until(() => pieces.length === 2, "the first heartbeat");
      state.caller = now;
      changes.written = 1;
      streams.wake("1");
      await reading;
      expect(pieces).toHaveLength(2);
    }
  });

  test("a stream waits while an owner is unavailable, and ends after an unexpected error", async () => {
    const { changes, defects, open } = setUp({ pauseMs: 5 });
    changes.failure = Object.assign(new Error("busy"), { type: "UNAVAILABLE" });
    changes.written = 1;
    const { pieces } = readPieces(await open());
    await until(() => pieces.includes(": unavailable\n\n"), "the stream waits");
    changes.failure = undefined;
    await until(() => pieces.some((piece) => piece.startsWith("event")), "the stream goes on");
    expect(defects).toEqual([]);
    const broken = setUp({ pauseMs: 5 });
    broken.changes.failure = new Error("a defect");
    await readPieces(await broken.open()).reading;
    expect(broken.defects).toHaveLength(1);
  });

  test.each([
    ["", "INVALID_REQUEST", ["guild_id"]],
    ["guild_id=x", "INVALID_REQUEST", ["guild_id"]],
    ["guild_id=0&sync_token=%20", "INVALID_REQUEST", ["guild_id", "sync_token"]],
    [`guild_id=1&sync_token=${"x".repeat(6_001)}`, "INVALID_REQUEST", ["sync_token"]],
    ["guild_id=3", "FORBIDDEN", undefined],
    ["guild_id=1&sync_token=bad", "SYNC_TOKEN_EXPIRED", undefined],
  ])("the query %s is refused", async (query, refusal, fields) => {
    const { open } = setUp();
    const refused = await refusalOf(open(query));
    expect([refused.refusal, refused.problems?.map(({ field }) => field)]).toEqual([refusal, fields]);
  });
});
