import { TurnsByKey } from "../../../mixins/async/turns-by-key.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { SyncPosition } from "../domain/sync-position.ts";
import type { ChangesPage } from "./changes-reader.ts";

/** A page as it is sent to every stream at the same position. */
export interface EncodedPage extends Pick<ChangesPage, "position" | "more" | "isHeldBack"> {
  /** The event with the changes; undefined if there are none. */
  readonly event: Buffer | undefined;
  /** A comment with the token, for a stream without changes. */
  readonly heartbeat: Buffer;
}

interface WatchOptions {
  readonly read: (guildId: GuildId, position: SyncPosition) => Promise<EncodedPage>;
  /** Interval of the reads without a broadcast, which may be lost, in milliseconds. */
  readonly pollMs: number;
  /** Time from a broadcast to the read, in milliseconds. Further broadcasts in this time cause no further read. */
  readonly gatherMs: number;
  readonly maxConcurrentReads: number;
}

/**
 * The pages of one guild's streams are read one after the other. After a page of a stream that is behind, the guild pauses for
 * three times as long, at most a quarter of a second, like a guild with large lists. Eight guilds with 20 streams each that began
 * at the first change made another guild's p99 2.7 s.
 */
const GUILD_TURNS = { maxWaiting: Infinity, maxWaitMs: 2 ** 31 - 1, restFactor: 3, maxRestMs: 250 };

/** The streams of a guild in this process. */
interface WatchedGuild {
  streams: number;
  /** Counts the changes and polls at which streams were resumed: a read that began before may miss the change. */
  wakes: number;
  /** Functions that resume the streams that wait. */
  readonly waiting: Set<() => void>;
  readonly pollTimer: NodeJS.Timeout;
  gatherTimer: NodeJS.Timeout | undefined;
}

/**
 * Wakes the streams of a guild when it changes, and reads its changes once for all streams at the same position. Streams reach
 * the same position when all writes before it are settled, so that an idle guild costs one read for each poll.
 */
export class ChangeWatch {
  readonly #options: WatchOptions;
  readonly #guilds = new Map<GuildId, WatchedGuild>();
  readonly #reads = new Map<string, Promise<EncodedPage>>();
  /** Turns outlive the streams of their guild, so that a client which connects again gets no further turn. */
  readonly #turns = new TurnsByKey<GuildId>(GUILD_TURNS);
  readonly #waitingReads: (() => void)[] = [];
  #running = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Number of guilds in memory; for tests. */
  get size(): number {
    return this.#guilds.size;
  }

  /** Adds a stream of the guild; the result removes it. */
  join(guildId: GuildId): () => void {
    const guild = this.#guilds.get(guildId) ?? this.#watch(guildId);
    guild.streams += 1;
    return () => {
      guild.streams -= 1;
      if (guild.streams > 0) return;
      clearInterval(guild.pollTimer);
      clearTimeout(guild.gatherTimer);
      this.#guilds.delete(guildId);
    };
  }

  /** Notes a change of the guild. */
  wake(guildId: GuildId): void {
    const guild = this.#guilds.get(guildId);
    if (guild === undefined || guild.gatherTimer !== undefined) return;
    guild.gatherTimer = setTimeout(() => {
      guild.gatherTimer = undefined;
      resume(guild);
    }, this.#options.gatherMs);
  }

  /** Number of wakes of the guild until now, for `wait`. */
  wakesOf(guildId: GuildId): number {
    return this.#guilds.get(guildId)?.wakes ?? 0;
  }

  /** Resolves at the next change or poll of the guild, after `maxMs`, or when the signal aborts; at once after a wake since `seen`. */
  wait(guildId: GuildId, seen: number, maxMs: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const guild = this.#guilds.get(guildId);
      if (guild === undefined || guild.wakes !== seen || signal.aborted) return resolve();
      const timer = maxMs === undefined ? undefined : setTimeout(done, maxMs);
      guild.waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
      function done() {
        guild?.waiting.delete(done);
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
    });
  }

  /** Reads the changes after a position; streams at the same position share the read. */
  read(guildId: GuildId, position: SyncPosition): Promise<EncodedPage> {
    const key = JSON.stringify([guildId, this.wakesOf(guildId), position]);
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const started = this.#readOfGuild(guildId, position).finally(() => this.#reads.delete(key));
    this.#reads.set(key, started);
    return started;
  }

  #watch(guildId: GuildId): WatchedGuild {
    const { pollMs } = this.#options;
    const guild: WatchedGuild = {
      streams: 0,
      wakes: 0,
      waiting: new Set(),
      pollTimer: setInterval(() => resume(guild), pollMs),
      gatherTimer: undefined,
    };
    this.#guilds.set(guildId, guild);
    return guild;
  }

  async #readOfGuild(guildId: GuildId, position: SyncPosition): Promise<EncodedPage> {
    const page = await this.#turns.run(
      guildId,
      () => this.#readInTurn(guildId, position),
      ({ more }) => more,
    );
    if (page === undefined) throw new Error("a read of changes had no turn");
    return page;
  }

  /** Limits the concurrent reads: after a restart all streams connect at once, and their reads would delay the requests. */
  async #readInTurn(guildId: GuildId, position: SyncPosition): Promise<EncodedPage> {
    if (this.#running >= this.#options.maxConcurrentReads) {
      await new Promise<void>((resolve) => this.#waitingReads.push(resolve));
    } else this.#running += 1;
    try {
      return await this.#options.read(guildId, position);
    } finally {
      const next = this.#waitingReads.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Resumes all streams at the same moment, so that they share their reads. */
function resume(guild: WatchedGuild): void {
  guild.wakes += 1;
  const waiting = new Set(guild.waiting);
  guild.waiting.clear();
  for (const done of waiting) done();
}
