import type { GuildId } from "../../contracts/ids.ts";

/** Time in which the broadcasts of changes are collected. */
const GATHER_MS = 50;
/** Guilds in one update of the database. */
const MAX_GUILDS = 1_000;

/** Collects the guilds of broadcasts, and wakes their queues together: a guild without a webhook costs an index lookup. */
export class ChangeHints {
  readonly #wake: (guildIds: readonly GuildId[]) => Promise<void>;
  #guilds = new Set<GuildId>();
  #timer: NodeJS.Timeout | undefined;

  /** @param wake - Wakes the queues; a failure is reported there. A queue that is not woken is read at its next poll. */
  constructor(wake: (guildIds: readonly GuildId[]) => Promise<void>) {
    this.#wake = wake;
  }

  /** Notes a change of a guild. */
  add(guildId: GuildId): void {
    this.#guilds.add(guildId);
    this.#timer ??= setTimeout(() => void this.#flush(), GATHER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #flush(): Promise<void> {
    const guilds = [...this.#guilds];
    this.#guilds = new Set();
    for (let at = 0; at < guilds.length; at += MAX_GUILDS) await this.#wake(guilds.slice(at, at + MAX_GUILDS));
    this.#timer = this.#guilds.size === 0 ? undefined : setTimeout(() => void this.#flush(), GATHER_MS);
  }
}
