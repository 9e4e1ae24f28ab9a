import { withPath } from "../../../mixins/actions/check-params.ts";
import type { ParamsOf, ResultOf } from "../../contracts/contract.ts";
import type { DraftChange } from "../../contracts/draft-changes.contract.ts";
import { ERRORS, refuse, type Refusal } from "../../contracts/errors.ts";
import { holidayCalendars } from "../../contracts/holidays.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import {
  type DraftedAnnouncements,
  type DraftedOccurrences,
  type DraftedSettings,
  type draftAnnouncements,
  type draftOccurrences,
  type DraftOccurrencesParams,
  type DraftReference,
  type draftSettings,
  isRefusedDraft,
  type RefusedDraft,
  type showDraftOccurrences,
  type ShowDraftOccurrencesParams,
  type ShownDraftOccurrences,
} from "../../contracts/owner-drafts.contract.ts";
import { holidaysParam } from "../protocol/planning/read-occurrences.ts";
import type { Owners } from "../protocol/ports.ts";

type Call<Contract> = (params: ParamsOf<Contract>) => Promise<ResultOf<Contract>>;

/** The owner services. Each makes the changes of its own records in memory. */
export interface DraftOwners extends Pick<Owners, "announcement"> {
  readonly draftSettings: Call<typeof draftSettings>;
  readonly draftOccurrences: Call<typeof draftOccurrences>;
  readonly showDraftOccurrences: Call<typeof showDraftOccurrences>;
  readonly draftAnnouncements: Call<typeof draftAnnouncements>;
}

/** Changes of a guild that are not stored, with the time and the rights of the request. */
export interface Drafts {
  readonly guildId: GuildId;
  readonly changes: readonly DraftChange[];
  readonly now: EpochMs;
  readonly byOperator: boolean;
}

/** A guild before and after changes that are stored nowhere; its occurrences are read as they are needed. */
export interface DraftedGuild {
  readonly settings: DraftedSettings;
  readonly announcements: DraftedAnnouncements;
  readonly occurrences: (
    read: Pick<DraftOccurrencesParams, "anchor" | "window" | "windows" | "limit" | "only" | "digests">,
  ) => Promise<DraftedOccurrences>;
  /** Occurrences with their texts. */
  readonly shown: (
    before: readonly OccurrenceId[],
    after: readonly OccurrenceId[],
    given?: Pick<ShowDraftOccurrencesParams, "digests" | "holidaysOf">,
  ) => Promise<ShownDraftOccurrences>;
}

const NO_WINDOW = { from: 0, until: 0 };

/** Lets the owners make the changes in memory (D58). Returns the refusal of the first change that is refused. */
export async function draftGuild(owners: DraftOwners, drafts: Drafts): Promise<DraftedGuild | Refusal> {
  const made = await makeChanges(owners, drafts);
  return isRefusedDraft(made) ? refusalOf(made) : made;
}

async function makeChanges(owners: DraftOwners, drafts: Drafts): Promise<DraftedGuild | RefusedDraft> {
  const { guildId, changes, now, byOperator } = drafts;
  /** An owner does not know which changes the others refuse: another owner may refuse an earlier change. */
  const firstRefused = async (refused: RefusedDraft): Promise<RefusedDraft> => {
    const earlier = { ...drafts, changes: changes.slice(0, refused.refused.at) };
    const made = await makeChanges(owners, earlier);
    return isRefusedDraft(made) ? made : refused;
  };
  const settings = await owners.draftSettings({ guildId, changes, byOperator, now });
  if (isRefusedDraft(settings)) return firstRefused(settings);
  const { maxCalendars } = settings;
  const events = { guildId, changes, now, maxCalendars };
  const named = referencesOf(changes);
  const found = await owners.draftOccurrences({
    ...events,
    references: named,
    window: NO_WINDOW,
    windows: [],
    limit: 1,
  });
  if (isRefusedDraft(found)) return firstRefused(found);
  const { references } = found;
  const announcements = await owners.draftAnnouncements({ guildId, changes, now, references, maxCalendars });
  if (isRefusedDraft(announcements)) return firstRefused(announcements);
  const holidays = holidaysParam(holidayCalendars([...announcements.before, ...announcements.after]));
  return {
    settings,
    announcements,
    occurrences: async (read) =>
      accepted(await owners.draftOccurrences({ ...events, references: [], ...holidays, ...read })),
    shown: async (before, after, given = {}) =>
      accepted(await owners.showDraftOccurrences({ ...events, before, after, ...given })),
  };
}

/** The result of changes that were accepted before. If a client has changed the same records meanwhile, they may be refused now. */
function accepted<Result extends object>(result: Result | RefusedDraft): Result {
  if (isRefusedDraft(result)) throw new ChangedMeanwhile(refusalOf(result));
  return result;
}

/** The refusal of changes that were accepted a moment before. */
export class ChangedMeanwhile extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.refusal);
    this.refusal = refusal;
  }
}

/** The events that changes of announcements name: by the id itself, and by the id of its series (D24). */
function referencesOf(changes: readonly DraftChange[]): DraftReference[] {
  return changes.flatMap((change, at) => {
    if (change.action !== "CREATE_ANNOUNCEMENT" && change.action !== "UPDATE_ANNOUNCEMENT") return [];
    const { eventId = "" } = change;
    const ids = eventId === "" ? [] : [eventId, eventId.split("_", 1)[0] ?? eventId];
    return [...new Set(ids)].map((id) => ({ at, eventId: id }));
  });
}

/** The refusal of a change, with its index in the message and in the paths of the fields. */
function refusalOf({ refused: { at, refusal } }: RefusedDraft): Refusal {
  const { refusal: type, message = ERRORS[type].message, problems } = refusal;
  const path = `changes[${at}]`;
  const prefixed = problems?.map((problem) => withPath(path, problem));
  return refuse(type, prefixed, `${path}: ${message}`);
}

/** The announcements that the changes name, or that were deleted with an event. */
export function changedIds({ announcements: { changed } }: DraftedGuild): Set<AnnouncementId> {
  return new Set(changed.map(({ id }) => id));
}
