import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Post } from "../domain/post.ts";
import type { Life } from "./life.ts";
import { planGuild } from "./plan-guild.ts";
import type { Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";

/** Keeps the plans of guilds in step with the truth, a few guilds at a time. */
export interface Planner {
  /**
   * Something of the guild's changed at `since` or later: plans it as soon as may be. Several touches before the
   * planning begins are one, and a guild that was just planned rests before it is planned again. Resolves when a plan
   * that began after this call is stored.
   */
  touch(guildId: GuildId, since: EpochMs): Promise<void>;
  /** After the stop: resolves when no plan is in work any more. */
  drained(): Promise<void>;
}

/** Guilds that are planned at the same time: the owners and the store answer others meanwhile. */
const AT_ONCE = 8;
const AGAIN_MS = 500;
/** A guild rests so many times as long as its plan took: whoever changes it all the time has a fifth of a plan's work. */
const REST = 4;
const MOST_REST_MS = 1_000;

interface Waiting {
  since: EpochMs;
  readonly done: (() => void)[];
}

/** @param planned - Is told of the posts that a stored plan has put or changed. */
export function newPlanner(
  ports: Ports,
  timing: Timing,
  life: Life,
  planned: (posts: readonly Post[]) => void,
): Planner {
  const waiting = new Map<GuildId, Waiting>();
  const running = new Map<GuildId, Promise<void>>();
  const resting = new Set<GuildId>();

  function join(guildId: GuildId, since: EpochMs, done: readonly (() => void)[]): void {
    const entry = waiting.get(guildId) ?? { since, done: [] };
    entry.since = Math.min(entry.since, since);
    entry.done.push(...done);
    waiting.set(guildId, entry);
  }

  function begin(): void {
    for (const [guildId, entry] of waiting) {
      if (life.stopping || running.size >= AT_ONCE) return;
      if (running.has(guildId) || resting.has(guildId)) continue;
      waiting.delete(guildId);
      running.set(guildId, run(guildId, entry));
    }
  }

  async function run(guildId: GuildId, { since, done }: Waiting): Promise<void> {
    const beganAt = ports.clock.now();
    const stored = await planGuild(ports, timing, guildId, since).catch((error: unknown) => {
      if (!life.stopping) ports.reports.trouble("plan", { guildId, error });
      return undefined;
    });
    if (stored === undefined) {
      // Another plan came between, or something is out of reach: the touch stands until a plan is stored.
      await life.sleep(AGAIN_MS * ports.random.fraction());
      join(guildId, since, done);
    } else {
      planned(stored);
      for (const tell of done) tell();
      void rest(guildId, ports.clock.now() - beganAt);
    }
    running.delete(guildId);
    begin();
  }

  /** What changes meanwhile is planned in one. */
  async function rest(guildId: GuildId, tookMs: number): Promise<void> {
    resting.add(guildId);
    await life.sleep(Math.min(MOST_REST_MS, REST * Math.max(0, tookMs)));
    resting.delete(guildId);
    begin();
  }

  return {
    touch: (guildId, since) =>
      new Promise((resolve) => {
        join(guildId, since, [resolve]);
        begin();
      }),
    async drained() {
      await Promise.all(running.values());
    },
  };
}
