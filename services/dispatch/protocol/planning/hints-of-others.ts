import type { EpochMs, GuildId } from "../../../contracts/ids.ts";

/**
 * Recent broadcasts of changes in guilds that another replica plans. That one may vanish before it has planned them; the change
 * feed has them, too, but possibly behind a backlog of other changes.
 */
export interface HintsOfOthers<Hint extends { readonly guildId: GuildId }> {
  /** Of each guild the last broadcast is kept. */
  add(hint: Hint, since: EpochMs): void;
  /** Removes and returns those of guilds that this replica plans by now, at most `limit`, the earliest first. */
  takeOver(limit: number): readonly KeptHint<Hint>[];
}

interface KeptHint<Hint> {
  readonly hint: Hint;
  /** The next plan must have the guild's posts from this instant on. */
  readonly since: EpochMs;
}

/** Further guilds replace the earliest. */
const MAX_GUILDS = 10_000;

/** @param keepMs - Within this time it is known that a replica has vanished, or another one reads in its place. */
export function newHintsOfOthers<Hint extends { readonly guildId: GuildId }>(
  clock: { now(): EpochMs },
  keepMs: number,
  isPlannedHere: (guildId: GuildId) => boolean,
): HintsOfOthers<Hint> {
  /** In the order of the broadcasts. */
  const hints = new Map<GuildId, KeptHint<Hint> & { readonly heardAt: EpochMs }>();

  return {
    add(hint, since) {
      const before = hints.get(hint.guildId);
      hints.delete(hint.guildId);
      hints.set(hint.guildId, { hint, since: Math.min(since, before?.since ?? since), heardAt: clock.now() });
      const [earliest] = hints.keys();
      if (hints.size > MAX_GUILDS && earliest !== undefined) hints.delete(earliest);
    },
    takeOver(limit) {
      const taken: KeptHint<Hint>[] = [];
      for (const [guildId, { hint, since, heardAt }] of hints) {
        if (taken.length === limit) break;
        const isOver = clock.now() - heardAt > keepMs;
        if (!isOver && !isPlannedHere(guildId)) continue;
        hints.delete(guildId);
        if (!isOver) taken.push({ hint, since });
      }
      return taken;
    },
  };
}
