import type { PlanChanges } from "../../domain/plan/plan.ts";
import type { GuildPlan, PlanCommit, PostStore, Source } from "../post-store.ts";

/** Bounds of a transaction. A larger one blocks the database, and this process while it is encoded. */
const MAX_ITEMS = 500;
const MAX_BYTES = 1_000_000;

interface Part {
  readonly inserts: PlanChanges["inserts"][number][];
  readonly updates: PlanChanges["updates"][number][];
  readonly removes: PlanChanges["removes"][number][];
  readonly sources: Source[];
}

/**
 * Stores a plan part by part. Each part replaces the version that the part before has stored, so a part is not stored once
 * another plan came between, and an older plan never overwrites a newer one. Until the last part is stored the guild
 * counts as not planned: the next plan completes one that a crash has interrupted.
 *
 * @param plan - With the version that was read before the plan's input.
 * @param before - How far the guild counts as planned until the last part is stored.
 * @param onPartStored - Called after each part.
 * @returns Whether all parts are stored.
 */
export async function storePlan(
  store: PostStore,
  plan: PlanCommit,
  before: GuildPlan,
  onPartStored: (changes: PlanChanges) => void,
): Promise<boolean> {
  const { guildId, plannedThrough, replanAt, bounded, occurrencesThrough, requests } = plan;
  const reach = { plannedThrough, replanAt, bounded, occurrencesThrough, requests };
  const parts = partsOf(plan);
  let version: number | undefined = plan.version;
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const reached = isLast ? reach : { ...before, requests: undefined };
    version = await store.commitPlan({ ...reached, ...part, guildId, version });
    if (version === undefined) return false;
    onPartStored(part);
  }
  return true;
}

/** Removes and updates come before inserts, so that the number of open posts stays within its bound in between. */
function partsOf({ inserts, updates, removes, sources }: PlanCommit): Part[] {
  const parts = [emptyPart()];
  let items = 0;
  let bytes = 0;
  function partFor(size: number): Part {
    if (items >= MAX_ITEMS || bytes + size > MAX_BYTES) {
      parts.push(emptyPart());
      items = 0;
      bytes = 0;
    }
    items += 1;
    bytes += size;
    return parts.at(-1) as Part;
  }
  for (const row of removes) partFor(0).removes.push(row);
  for (const update of updates) partFor(0).updates.push(update);
  for (const post of inserts) partFor(0).inserts.push(post);
  for (const source of sources) partFor(source.text.length).sources.push(source);
  return parts;
}

function emptyPart(): Part {
  return { inserts: [], updates: [], removes: [], sources: [] };
}
