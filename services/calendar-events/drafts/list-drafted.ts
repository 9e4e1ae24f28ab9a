import type { GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type {
  DraftedOccurrences,
  DraftOccurrencesParams,
  RefusedDraft,
  ShownDigest,
  ShowDraftOccurrencesParams,
  ShownDraftOccurrences,
} from "../../contracts/owner-drafts.contract.ts";
import { isRefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { OperationTimeout } from "../../../mixins/async/timeout.ts";
import { calendarWindows, SEARCH_TIMEOUT_MS } from "../calendar-windows.ts";
import { digestReader } from "../digest-reads.ts";
import { digestWithId } from "../domain/digest/digest-occurrence.ts";
import { announcedOccurrence } from "../domain/event/effective-occurrence.ts";
import { eventResolver, type ResolverStore } from "../event-resolver.ts";
import { announcedOccurrences } from "../occurrences-by-anchor.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import { windowPages } from "../window-pages.ts";
import { alteredIds, partition, withoutTexts } from "./compare-occurrences.ts";
import { type DraftedHolidays, draftedHolidays } from "./drafted-holidays.ts";
import { type Listed, listDraftedEvents } from "./list-drafted-events.ts";
import { isAllowed, makeDrafts } from "./make-drafts.ts";

/** The stores of the guild's events, over which the changes are made. */
export interface DraftStores {
  readonly store: CalendarEventsStore;
  readonly calendars: CalendarsStore;
  readonly maxEvents: number;
  /** The refusal of a write of events to a calendar that follows an address (D55). */
  readonly followedRefusal: (calendar: CalendarReference) => Promise<Refusal | undefined>;
}

type CalendarReads = Pick<CalendarsStore, "find" | "list">;

/** The occurrences of a guild before and after changes that are stored nowhere (D58). */
export async function listDrafted(
  stores: DraftStores,
  params: DraftOccurrencesParams,
): Promise<DraftedOccurrences | RefusedDraft> {
  const made = await makeDrafts(stores, params);
  if (isRefusedDraft(made)) return made;
  const { store, calendars } = made;
  const maxBefore = params.maxCalendars[0] ?? 1;
  const maxAfter = params.maxCalendars.at(-1) ?? 1;
  const [changedBefore, changedAfter] = [
    await listDraftedEvents(store.before(), stores.calendars, maxBefore, params),
    await listDraftedEvents(store.after(), calendars, maxAfter, params),
  ];
  const changed = { before: changedBefore.occurrences, after: changedAfter.occurrences };
  const isOther = ({ eventId }: Occurrence) => !store.isChanged(eventId);
  const holidays = draftedHolidays(stores, made, params);
  const mayAffectOthers = calendars.affectsAllEvents() || maxBefore !== maxAfter || holidays.areChanged;
  const others = mayAffectOthers
    ? await comparedOthers(stores, calendars, params, { changed, holidays, isOther })
    : await unchangedOthers(stores, params, { changed, holidays, isOther });
  const { before, after } = others;
  return {
    unchanged: others.unchanged,
    before: before.map(withoutTexts),
    after: after.map(withoutTexts),
    altered: alteredIds(before, after),
    truncated: changedBefore.truncated || changedAfter.truncated || others.truncated,
    references: made.references,
  };
}

/** The occurrences of changed events and of all others, with their holidays. */
type Compared = Pick<DraftedOccurrences, "unchanged" | "before" | "after" | "truncated">;

interface ChangedEvents {
  readonly changed: Pick<DraftedOccurrences, "before" | "after">;
  readonly holidays: DraftedHolidays;
  /** Whether the occurrence is one of an event that no change names. */
  readonly isOther: (occurrence: Occurrence) => boolean;
}

/** The occurrences of other events are the same before and after the changes, and so are holidays: each is read once. */
async function unchangedOthers(
  stores: DraftStores,
  params: DraftOccurrencesParams,
  { changed, holidays, isOther }: ChangedEvents,
): Promise<Compared> {
  const isRead = params.windows.length > 0 || params.digests !== undefined;
  const { occurrences, truncated } = isRead
    ? await listStored(stores, stores.calendars, params.maxCalendars[0] ?? 1, params)
    : NOTHING_LISTED;
  const { before, after } = changed;
  const all = await holidays.before([...before, ...after, ...occurrences.filter(isOther)]);
  return {
    before: all.slice(0, before.length),
    after: all.slice(before.length, before.length + after.length),
    unchanged: all.slice(before.length + after.length),
    truncated,
  };
}

/**
 * With a new time zone or pause, another number of calendars, or other holidays, any event may be affected: all are read, before and
 * after.
 */
async function comparedOthers(
  stores: DraftStores,
  calendars: CalendarReads,
  params: DraftOccurrencesParams,
  { changed, holidays, isOther }: ChangedEvents,
): Promise<Compared> {
  const { maxCalendars, window } = params;
  const windows = window.until <= window.from ? [] : [window];
  const isRead = windows.length > 0 || params.digests !== undefined;
  const all = { ...params, windows };
  // Each replica of dispatch compares one guild at a time, so it causes at most two of these reads at once.
  const [before, after] = await Promise.all([
    isRead ? listStored(stores, stores.calendars, maxCalendars[0] ?? 1, all) : NOTHING_LISTED,
    isRead ? listStored(stores, calendars, maxCalendars.at(-1) ?? 1, all) : NOTHING_LISTED,
  ]);
  const [one, other] = await Promise.all([
    holidays.before([...changed.before, ...before.occurrences.filter(isOther)]),
    holidays.after([...changed.after, ...after.occurrences.filter(isOther)]),
  ]);
  const parts = await partition(one.slice(changed.before.length), other.slice(changed.after.length));
  return {
    unchanged: parts.unchanged,
    before: [...parts.before, ...one.slice(0, changed.before.length)],
    after: [...parts.after, ...other.slice(0, changed.after.length)],
    truncated: before.truncated || after.truncated,
  };
}

const NOTHING_LISTED: Listed = { occurrences: [], truncated: false };

/** Occurrences with their texts, before and after the changes. */
export async function showDrafted(
  stores: DraftStores,
  params: ShowDraftOccurrencesParams,
): Promise<ShownDraftOccurrences | RefusedDraft> {
  const made = await makeDrafts(stores, params);
  if (isRefusedDraft(made)) return made;
  const { guildId, before, after, digests = NO_DIGESTS, maxCalendars } = params;
  const digestsOf = (ids: readonly OccurrenceId[], calendars: CalendarReads, side: "before" | "after") =>
    findDigests(guildId, ids, digests[side], {
      read: digestReader(calendars, windowPages(stores.store, calendars)),
      isAllowed: (number) => isAllowed(number, maxCalendars.at(side === "before" ? 0 : -1) ?? 1),
    });
  const holidays = draftedHolidays(stores, made, params);
  return {
    before: [
      ...(await holidays.before(await findOccurrences(guildId, before, stores.store, stores.calendars))),
      ...(await digestsOf(before, stores.calendars, "before")),
    ],
    after: [
      ...(await holidays.after(await findOccurrences(guildId, after, made.store, made.calendars))),
      ...(await digestsOf(after, made.calendars, "after")),
    ],
  };
}

async function findOccurrences(
  guildId: GuildId,
  ids: readonly OccurrenceId[],
  store: ResolverStore,
  calendars: Pick<CalendarsStore, "find">,
): Promise<Occurrence[]> {
  const events = eventResolver(store, calendars);
  const found = await Promise.all(ids.map((id) => events.find(guildId, id)));
  return found.flatMap((resolved) =>
    resolved?.occurrence === undefined ? [] : [announcedOccurrence(resolved.occurrence, resolved.calendar)],
  );
}

const NO_DIGESTS = { before: [], after: [] };

/** The digests with these ids. They list the events as they are stored, whatever the changes (D65). */
async function findDigests(
  guildId: GuildId,
  ids: readonly OccurrenceId[],
  rules: readonly ShownDigest[],
  {
    read,
    isAllowed: mayHave,
  }: { read: ReturnType<typeof digestReader>; isAllowed: (calendarNumber: number) => boolean },
): Promise<Occurrence[]> {
  const found: Occurrence[] = [];
  const end = performance.now() + SEARCH_TIMEOUT_MS;
  for (const id of ids) {
    // The caller has timed out.
    if (performance.now() > end) throw new OperationTimeout(`the digests of drafts of guild ${guildId}`);
    const named = digestWithId(rules, id);
    if (named === undefined || !mayHave(named.rule.digest.calendarNumber)) continue;
    // Sequential on purpose: a list of digests must not take the database from other requests.
    const digest = await read({ guildId, ...named.rule, date: named.date });
    if (digest !== null) found.push(digest);
  }
  return found;
}

/** All occurrences of the stored events whose anchors are in the windows. */
function listStored(
  { store }: DraftStores,
  calendars: CalendarReads,
  maxCalendars: number,
  { guildId, windows, limit, only = {}, digests, anchor }: DraftOccurrencesParams,
): Promise<Listed> {
  const params = { guildId, windows, limit, texts: false, only, ...definedFields({ digests, anchor }) };
  const reads = announcedOccurrences(store, calendars, calendarWindows(store, calendars));
  return reads.list(params, async (number) => isAllowed(number, maxCalendars));
}
