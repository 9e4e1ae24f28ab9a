import type { PlanChanges } from "../../domain/plan/plan-input.ts";
import type { GuildPlan, PlanCommit, PostStore, Source } from "../post-store.ts";

/** Rows and sources in one transaction: a larger one holds up the database, and this process while it is encoded. */
const MAX_ITEMS = 500;
const MAX_BYTES = 1_000_000;

interface Part {
  readonly inserts: PlanChanges["inserts"][number][];
  readonly updates: PlanChanges["updates"][number][];
  readonly removes: PlanChanges["removes"][number][];
  readonly sources: Source[];
}

/**
 * Stores a plan part by part. Each part names the version that the part before has made, so no part is stored once another
 * plan came between, and an older plan never overwrites a newer one. Until the last part is stored the guild counts as not
 * planned: a crash half-way is finished by the next plan.
 *
 * @param plan - With the version that was read before its truth.
 * @param before - How far the guild counts as planned until the last part is stored.
 * @param stored - Is told of each part.
 * @returns Whether all of it is stored.
 */
export async function storePlan(
  store: PostStore,
  plan: PlanCommit,
  before: GuildPlan,
  stored: (changes: PlanChanges) => void,
): Promise<boolean> {
  const { guildId, plannedThrough, replanAt, bounded, occurrencesThrough } = plan;
  const reach = { plannedThrough, replanAt, bounded, occurrencesThrough };
  const parts = partsOf(plan);
  let version: number | undefined = plan.version;
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    version = await store.commitPlan({ ...(isLast ? reach : before), ...part, guildId, version });
    if (version === undefined) return false;
    stored(part);
  }
  return true;
}

/** What takes room away comes last, so that a guild has no more open posts than it may have in between either. */
function partsOf({ inserts, updates, removes, sources }: PlanCommit): Part[] {
  const parts = [emptyPart()];
  let items = 0;
  let bytes = 0;
  function roomFor(size: number): Part {
    if (items >= MAX_ITEMS || bytes + size > MAX_BYTES) {
      parts.push(emptyPart());
      items = 0;
      bytes = 0;
    }
    items += 1;
    bytes += size;
    return parts.at(-1) as Part;
  }
  for (const row of removes) roomFor(0).removes.push(row);
  for (const update of updates) roomFor(0).updates.push(update);
  for (const post of inserts) roomFor(0).inserts.push(post);
  for (const source of sources) roomFor(source.text.length).sources.push(source);
  return parts;
}

function emptyPart(): Part {
  return { inserts: [], updates: [], removes: [], sources: [] };
}
