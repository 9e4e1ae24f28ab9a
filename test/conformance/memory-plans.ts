import type { AnyChange, KnownIds } from "./any-drafts.ts";
import { DRAFTS_NOW, MAX_OFFSET_MS } from "./any-drafts.ts";
import { memoryCalendars, memoryEvents, type MemoryRows } from "../doubles/memory-events.ts";
import { MemoryGuild } from "../doubles/memory-guild.ts";
import { digestReader } from "../../services/calendar-events/digest-reads.ts";
import { digestWithId } from "../../services/calendar-events/domain/digest/digest-occurrence.ts";
import { windowPages } from "../../services/calendar-events/window-pages.ts";
import { digestRules } from "../../services/contracts/announcement-digests.ts";
import type { DraftChange } from "../../services/contracts/draft-changes.contract.ts";
import type { EpochMs, OccurrenceId } from "../../services/contracts/ids.ts";
import type { Occurrence } from "../../services/contracts/occurrences.contract.ts";
import { leadMs } from "../../services/dispatch/domain/plan/offsets.ts";
import type { PlanInput } from "../../services/dispatch/domain/plan/plan-input.ts";
import { firstPositionAt } from "../../services/dispatch/domain/plan/plan-order.ts";
import { planPosts } from "../../services/dispatch/domain/plan/plan-posts.ts";
import { postsAfter } from "../../services/dispatch/domain/plan/posts-after.ts";
import { isOpen, type Post } from "../../services/dispatch/domain/post/post.ts";
import { diffPlanOf } from "../../services/dispatch/queries/diff-plan.ts";

export const GRACE_MS = 900_000;
const HOUR = 3_600_000;
/** No event is longer. None was created longer before it is due, or starts longer after `until` and is due by its creation. */
const LONGEST_MS = 60 * 24 * HOUR;
/** More posts than any of these guilds has. */
export const EVERY_POST = 1_000_000;

/** Of earlier occurrences nothing is due any more. */
const EVER = [{ from: 0, until: Infinity }];

export interface PlannedState {
  readonly occurrences: readonly Occurrence[];
  readonly rules: ReturnType<MemoryGuild["rules"]>;
  readonly settings: MemoryGuild["settings"];
  readonly announcements: ReadonlyMap<string, ReturnType<MemoryGuild["announcements"]["get"]>>;
}

export async function stateOf(guild: MemoryGuild, until: EpochMs): Promise<PlannedState> {
  const rules = guild.rules();
  const window = {
    from: guild.now - GRACE_MS - MAX_OFFSET_MS - LONGEST_MS,
    until: until + Math.max(0, ...rules.map(leadMs)) + LONGEST_MS,
  };
  const occurrences = await guild.occurrences(window);
  return { occurrences, rules, settings: guild.settings, announcements: new Map(guild.announcements) };
}

/** The guild's rows after its plan through an instant, from all announcements and occurrences. */
export function planned(
  guild: MemoryGuild,
  { occurrences, rules, settings }: PlannedState,
  through: EpochMs,
  existing: readonly Post[],
): Post[] {
  const { now, id: guildId } = guild;
  const input: PlanInput = {
    guildId,
    announcements: rules,
    occurrences,
    windows: { START: EVER, END: EVER, CREATED: EVER, CHANGED: EVER },
    existing,
    sinks: ["log", "discord"],
    start: firstPositionAt(now - GRACE_MS),
    through,
    now,
    graceMs: GRACE_MS,
    maxOpenPosts: EVERY_POST,
    version: 0,
    guildPause: settings,
  };
  return postsAfter(input, planPosts(input));
}

/** Posts that were due are sent or skipped, as they would be at the present time. */
function settled(rows: readonly Post[], now: EpochMs): Post[] {
  return rows.map((row) => {
    if (!isOpen(row) || row.dueAt > now) return row;
    if (row.skipReason !== undefined) return { ...row, state: "skipped", reason: row.skipReason, settledAt: now };
    return { ...row, state: "sent", fence: 1, settledAt: now, delivered: ["1"] };
  });
}

/** Reads digests with the events of some rows, in the present calendars: drafts of events do not change digests (D65). */
export function digestsOf(guild: MemoryGuild, rules: PlannedState["rules"], rows: MemoryRows) {
  const calendars = memoryCalendars(guild.copiedRows);
  const read = digestReader(calendars, windowPages(memoryEvents(rows), calendars));
  return async (ids: ReadonlySet<OccurrenceId>): Promise<Occurrence[]> => {
    const found: Occurrence[] = [];
    for (const id of ids) {
      const named = digestWithId(digestRules(rules), id);
      const digest = named && (await read({ guildId: guild.id, ...named.rule, date: named.date }));
      if (digest !== null && digest !== undefined) found.push(digest);
    }
    return found;
  };
}

/** The ids that exist in the guild, and what later changes may name. */
export async function knownIds(guild: MemoryGuild): Promise<KnownIds> {
  const occurrences = await guild.occurrences({ from: guild.now - 24 * HOUR, until: guild.now + 2_000 * HOUR });
  const ofSeries = occurrences.filter(({ recurs }) => recurs).map(({ occurrenceId }) => occurrenceId);
  return {
    events: [...guild.rows.events.keys(), ...ofSeries.slice(0, 12)],
    announcements: [...guild.announcements.keys()],
  };
}

/** A guild as it is when the drafts come, and the rows of its plan. */
export async function guildBefore(
  setup: readonly AnyChange[],
  createdMs: number,
): Promise<{ guild: MemoryGuild; rows: Post[] }> {
  const guild = new MemoryGuild();
  guild.now = DRAFTS_NOW - createdMs;
  for (const [at, change] of setup.entries()) await guild.write(change(await knownIds(guild)), 100 + at);
  const state = await stateOf(guild, guild.now + createdMs + 48 * HOUR);
  const rows = planned(guild, state, guild.now + createdMs + 48 * HOUR, []);
  guild.now = DRAFTS_NOW;
  return { guild, rows: settled(rows, DRAFTS_NOW) };
}

/** The diff of drafts, over the rows of the stored plan. */
export function diffOf(guild: MemoryGuild, rows: readonly Post[], changes: readonly DraftChange[], limit = EVERY_POST) {
  const ports = {
    owners: guild.owners(),
    store: { postsForPlan: async () => rows.filter(isOpen), postsOfPairs: async () => rows },
    sinks: ["log", "discord"] as const,
    graceMs: GRACE_MS,
    guildName: async () => "Guild",
  };
  return diffPlanOf(ports, { guildId: guild.id, changes, limit }, guild.now, true);
}
