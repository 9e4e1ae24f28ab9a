import type { IncomingMessage } from "node:http";
import { mayCall } from "../../../mixins/actions/may-call.ts";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import { listChanges, type ListChangesParams } from "../../contracts/guild-changes.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { SyncPosition } from "../domain/sync-position.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { Admission, Allowed } from "../rates/admission.ts";
import { rateHeaders } from "../rates/rate-headers.ts";
import { RequestRefused, toRefusal } from "../request-handler.ts";
import { wirePath } from "../wire/request-fields.ts";
import { ChangeWatch } from "./change-watch.ts";
import type { ChangesReader } from "./changes-reader.ts";
import { encodedPage } from "./server-sent-events.ts";

/** The path of the stream in the API document. */
export const CHANGE_STREAM_PATH = "/v2/changes/stream";

/** Limits and intervals of streams; times in milliseconds. */
export const STREAM_LIMITS = {
  /** Open streams of a key, and of all keys, in one gateway. */
  perKey: 20,
  inAll: 1_000,
  /** Interval of heartbeats, and of reads without a broadcast. */
  pollMs: 15_000,
  gatherMs: 50,
  maxConcurrentReads: 4,
  /** Changes in one event. */
  changesPerEvent: 50,
  /** Longest pause before the next read, after a read that failed or that held changes back. */
  pauseMs: 2_000,
  /** Time for a check of the key. */
  keyCheckMs: 2_000,
};

interface ChangeStreamsParts {
  readonly admission: Admission;
  readonly reader: ChangesReader;
  /** Called with an unexpected error of a stream. */
  readonly onDefect: (error: unknown, requestId: string) => void;
  readonly limits?: Partial<typeof STREAM_LIMITS>;
}

/** A stream that a client reads. */
interface OpenStream {
  readonly guildId: GuildId;
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly closed: AbortController;
}

const WIRE_NAMES = new Map([
  ["guildId", "guild_id"],
  ["syncToken", "sync_token"],
]);
const { guildId, syncToken } = listChanges.params;
const check = paramsCheck({ params: { guildId, syncToken } });

/** The changes of guilds as Server-Sent Events (D48). */
export class ChangeStreams {
  readonly #parts: ChangeStreamsParts;
  readonly #limits: typeof STREAM_LIMITS;
  readonly #watch: ChangeWatch;
  readonly #open = new Set<OpenStream>();
  readonly #openOfKey = new Map<string, number>();
  #isClosing = false;

  constructor(parts: ChangeStreamsParts) {
    this.#parts = parts;
    this.#limits = { ...STREAM_LIMITS, ...parts.limits };
    this.#watch = new ChangeWatch({
      ...this.#limits,
      read: async (guild, position) =>
        encodedPage(await parts.reader.read(guild, position, this.#limits.changesPerEvent, {})),
    });
  }

  /** Wakes the streams of a guild that has changed. */
  wake(guild: string): void {
    this.#watch.wake(guild as GuildId);
  }

  /** Number of open streams; for tests. */
  get size(): number {
    return this.#open.size;
  }

  /** Responds to a request for a stream. Rejects with RequestRefused. */
  async respond(request: IncomingMessage, requestId: string): Promise<HttpResponse> {
    const { admission, reader } = this.#parts;
    const allowed = orThrow(await admission.admit(request));
    const params = paramsOf(request);
    const problems = check(params);
    if (problems.length > 0) throw refused(withWireNames(refuse("INVALID_REQUEST", problems)), allowed);
    const { guildId: guild, syncToken: token } = params as ListChangesParams;
    if (!mayCall(listChanges, params, allowed.caller)) throw refused(refuse("FORBIDDEN"), allowed);
    const { standings, caller } = orThrow(admission.admitToGuild(guild, allowed));
    const position = reader.positionOf(guild, token);
    if (isRefusal(position)) throw refused(withWireNames(position), { standings });
    const headers = { ...EVENT_STREAM, ...rateHeaders(standings) };
    if (request.method === "HEAD") return { status: 200, headers, body: nothing() };

    const stream = { guildId: guild, request, requestId, closed: new AbortController() };
    const close = this.#add(stream, caller.keyId);
    if (isRefusal(close)) throw refused(close, { standings });
    return { status: 200, headers, body: this.#pieces(stream, position), onClose: close };
  }

  /** Ends all streams, and refuses new ones. The clients connect to another gateway, and go on from their token. */
  close(): void {
    this.#isClosing = true;
    for (const { closed } of this.#open) closed.abort();
  }

  /** Adds a stream; the result removes it. */
  #add(stream: OpenStream, keyId: string): (() => void) | Refusal {
    if (this.#isClosing) return refuse("UNAVAILABLE");
    const { perKey, inAll } = this.#limits;
    if ((this.#openOfKey.get(keyId) ?? 0) >= perKey)
      return refuse("TOO_MANY_REQUESTS", undefined, `The key already has ${perKey} open streams`);
    if (this.#open.size >= inAll) return refuse("TOO_MANY_REQUESTS", undefined, "Too many streams are open");
    const leave = this.#watch.join(stream.guildId);
    this.#open.add(stream);
    this.#count(keyId, 1);
    return () => {
      if (!this.#open.delete(stream)) return;
      this.#count(keyId, -1);
      stream.closed.abort();
      leave();
    };
  }

  #count(keyId: string, change: 1 | -1): void {
    const count = (this.#openOfKey.get(keyId) ?? 0) + change;
    if (count === 0) this.#openOfKey.delete(keyId);
    else this.#openOfKey.set(keyId, count);
  }

  /** The pieces of the response. Each is made after the client has read the previous one, so a slow client costs the memory of one. */
  async *#pieces(stream: OpenStream, first: SyncPosition): AsyncGenerator<Buffer> {
    const { guildId: guild, requestId } = stream;
    const { signal } = stream.closed;
    yield Buffer.from(`retry: ${retryMs()}\n\n`);
    let position = first;
    let sentAt = -Infinity;
    while (!signal.aborted) {
      const seen = this.#watch.wakesOf(guild);
      let pauseMs: number | undefined;
      try {
        const page = await this.#watch.read(guild, position);
        if (!(await this.#mayRead(stream))) return;
        position = page.position;
        const isSilent = performance.now() - sentAt >= this.#limits.pollMs / 2;
        const piece = page.event ?? (isSilent ? page.heartbeat : undefined);
        if (piece !== undefined) {
          yield piece;
          sentAt = performance.now();
        }
        if (page.more) continue;
        if (page.isHeldBack) pauseMs = this.#limits.pauseMs;
      } catch (error) {
        if (!isTemporary(error)) {
          this.#parts.onDefect(error, requestId);
          return;
        }
        yield Buffer.from(": unavailable\n\n");
        pauseMs = this.#limits.pauseMs;
      }
      await this.#watch.wait(guild, seen, pauseMs, signal);
    }
  }

  /** Whether the key of the stream is still valid for its guild. */
  async #mayRead({ guildId: guild, request }: OpenStream): Promise<boolean> {
    const pending = this.#parts.admission.readmit(request);
    const caller = await withTimeout(this.#limits.keyCheckMs, "the check of a key", pending);
    return caller !== undefined && mayCall(listChanges, { guildId: guild }, caller);
  }
}

/** `x-accel-buffering` keeps nginx from buffering the response, which would delay events. */
const EVENT_STREAM = { "content-type": "text/event-stream", "x-accel-buffering": "no" };

/** Time after which a client connects again. It is random, because all clients of a gateway lose it at the same moment. */
function retryMs(): number {
  return Math.round(1_000 + Math.random() * 4_000);
}

/** The params of a request. `Last-Event-ID`, which a client sends when it connects again, replaces the token in the query. */
function paramsOf({ url = "", headers }: IncomingMessage): object {
  const query = new URLSearchParams(url.split("?", 2)[1] ?? "");
  const last = headers["last-event-id"];
  const token = typeof last === "string" && last !== "" ? last : query.get("sync_token");
  const guild = query.get("guild_id");
  return { ...(guild === null ? {} : { guildId: guild }), ...(token === null ? {} : { syncToken: token }) };
}

function withWireNames({ problems, ...refusal }: Refusal): Refusal {
  if (problems === undefined) return refusal;
  const named = problems.map((problem) => Object.assign({}, problem, { field: wirePath(problem.field, WIRE_NAMES) }));
  return { ...refusal, problems: named };
}

function refused(refusal: Refusal, { standings }: Pick<Allowed, "standings">): RequestRefused {
  return new RequestRefused(refusal, rateHeaders(standings));
}

function orThrow(admitted: Awaited<ReturnType<Admission["admit"]>>): Allowed {
  if ("refusal" in admitted) throw new RequestRefused(admitted.refusal, admitted.headers);
  return admitted;
}

/** Whether a later read may succeed. */
function isTemporary(error: unknown): boolean {
  try {
    return toRefusal(listChanges)(error).refusal === "UNAVAILABLE";
  } catch {
    return false;
  }
}

/** An empty body of unknown length, for HEAD. */
async function* nothing(): AsyncGenerator<Buffer> {}
