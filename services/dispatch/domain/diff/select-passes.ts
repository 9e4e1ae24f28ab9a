import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { formerIds } from "../plan/former-ids.ts";
import type { SelectionInput } from "../plan/select-soonest.ts";
import { type Candidate, selectSoonest } from "../plan/select-soonest.ts";

/** The announcements and occurrences that a guild's posts are made from, before or after a change. */
export interface GuildState {
  readonly announcements: readonly AnnouncementRule[];
  readonly occurrences: readonly Occurrence[];
}

/** Announcements and occurrences whose posts are compared. Two passes have no pair of the two in common. */
export interface Pass {
  readonly before: GuildState;
  readonly after: GuildState;
}

/** A guild before and after changes. */
export interface ChangedGuild {
  readonly rulesBefore: readonly AnnouncementRule[];
  readonly rulesAfter: readonly AnnouncementRule[];
  /** The announcements that were changed, or whose messages may be others. */
  readonly changed: ReadonlySet<AnnouncementId>;
  /** Occurrences that are the same before and after; only needed if an announcement was changed. */
  readonly unchanged: readonly Occurrence[];
  readonly before: readonly Occurrence[];
  readonly after: readonly Occurrence[];
}

/**
 * The pairs of an announcement and an occurrence whose posts the changes can affect: the changed announcements with all
 * occurrences, and the other announcements with the changed occurrences.
 */
export function passesOf({ rulesBefore, rulesAfter, changed, unchanged, before, after }: ChangedGuild): Pass[] {
  const isChanged = ({ id }: AnnouncementRule) => changed.has(id);
  const isOther = ({ id }: AnnouncementRule) => !changed.has(id);
  return [
    {
      before: { announcements: rulesBefore.filter(isChanged), occurrences: [...unchanged, ...before] },
      after: { announcements: rulesAfter.filter(isChanged), occurrences: [...unchanged, ...after] },
    },
    {
      before: { announcements: rulesBefore.filter(isOther), occurrences: before },
      after: { announcements: rulesAfter.filter(isOther), occurrences: after },
    },
  ];
}

type Common = Pick<SelectionInput, "start" | "through" | "now" | "graceMs">;

export interface SelectedSide extends GuildState {
  readonly candidates: readonly Candidate[];
}

export interface SelectedPass {
  readonly before: SelectedSide;
  readonly after: SelectedSide;
}

export interface SelectedPasses {
  readonly passes: readonly SelectedPass[];
  /** Every pair that is due before this instant was selected. */
  readonly through: EpochMs;
}

/** Selects the soonest pairs of each side, at most `limit`. */
export function* selectPasses(passes: readonly Pass[], common: Common, limit: number): Generator<void, SelectedPasses> {
  const selected: SelectedPass[] = [];
  let { through } = common;
  for (const { before, after } of passes) {
    const one = yield* selectSoonest({ ...common, ...before }, limit);
    const other = yield* selectSoonest({ ...common, ...after }, limit);
    for (const { firstOmitted } of [one, other]) through = Math.min(through, firstOmitted?.at ?? through);
    selected.push({
      before: { ...before, candidates: one.candidates },
      after: { ...after, candidates: other.candidates },
    });
  }
  return { passes: selected, through };
}

/** The ids of the announcements and occurrences of the selected pairs, also those from before a split (D51). */
export function selectedIds(sides: readonly Pick<SelectedSide, "candidates">[]): {
  readonly occurrenceIds: ReadonlySet<OccurrenceId>;
  readonly announcementIds: ReadonlySet<AnnouncementId>;
} {
  const candidates = sides.flatMap((side) => side.candidates);
  return {
    occurrenceIds: new Set(candidates.flatMap(({ occurrence }) => [occurrence.occurrenceId, ...formerIds(occurrence)])),
    announcementIds: new Set(candidates.map(({ announcementId }) => announcementId)),
  };
}
