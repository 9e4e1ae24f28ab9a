import type { EpochMs, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import { EVENT_TEXTS } from "../../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type {
  DraftedOccurrences,
  DraftOccurrencesParams,
  RefusedDraft,
  ShowDraftOccurrencesParams,
  ShownDraftOccurrences,
} from "../../contracts/owner-drafts.contract.ts";
import { isRefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import type { Window } from "../../contracts/window.ts";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { calendarWindows } from "../calendar-windows.ts";
import { announcedOccurrence } from "../domain/event/effective-occurrence.ts";
import { soonestOccurrences } from "../domain/event/soonest-occurrences.ts";
import { startsIn } from "../domain/event/window.ts";
import { eachOccurrenceStarting } from "../domain/recurrence/occurrences.ts";
import { effectiveOccurrences } from "../effective-occurrences.ts";
import { eventResolver, type ResolverStore } from "../event-resolver.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { DraftedEvent } from "./draft-store.ts";
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

/** The occurrences of a guild, soonest first. */
interface Listed {
  readonly occurrences: readonly Occurrence[];
  readonly truncated: boolean;
}

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
    await listEvents(store.before(), stores.calendars, maxBefore, params),
    await listEvents(store.after(), calendars, maxAfter, params),
  ];
  const isOther = ({ eventId }: Occurrence) => !store.isChanged(eventId);
  const others =
    calendars.hasNewZone() || maxBefore !== maxAfter
      ? await comparedOthers(stores, calendars, params, isOther)
      : await unchangedOthers(stores, params, isOther);
  const before = [...others.before, ...changedBefore.occurrences];
  const after = [...others.after, ...changedAfter.occurrences];
  return {
    unchanged: others.unchanged,
    before: before.map(withoutTexts),
    after: after.map(withoutTexts),
    altered: alteredIds(before, after),
    truncated: changedBefore.truncated || changedAfter.truncated || others.truncated,
    references: made.references,
  };
}

/** The occurrences of events that no change names. */
type Others = Pick<DraftedOccurrences, "unchanged" | "before" | "after" | "truncated">;

async function unchangedOthers(
  stores: DraftStores,
  params: DraftOccurrencesParams,
  isOther: (occurrence: Occurrence) => boolean,
): Promise<Others> {
  const none = { unchanged: [], before: [], after: [], truncated: false };
  if (params.windows.length === 0) return none;
  const { occurrences, truncated } = await listStored(stores, stores.calendars, params.maxCalendars[0] ?? 1, params);
  return { ...none, unchanged: occurrences.filter(isOther), truncated };
}

/** With a new time zone, or another number of calendars, any event may be affected: all are read, before and after. */
async function comparedOthers(
  stores: DraftStores,
  calendars: CalendarReads,
  params: DraftOccurrencesParams,
  isOther: (occurrence: Occurrence) => boolean,
): Promise<Others> {
  const { maxCalendars, window } = params;
  if (window.until <= window.from) return { unchanged: [], before: [], after: [], truncated: false };
  const all = { ...params, windows: [window] };
  const before = await listStored(stores, stores.calendars, maxCalendars[0] ?? 1, all);
  const after = await listStored(stores, calendars, maxCalendars.at(-1) ?? 1, all);
  const parts = await partition(before.occurrences.filter(isOther), after.occurrences.filter(isOther));
  return { ...parts, truncated: before.truncated || after.truncated };
}

/** Occurrences with their texts, before and after the changes. */
export async function showDrafted(
  stores: DraftStores,
  params: ShowDraftOccurrencesParams,
): Promise<ShownDraftOccurrences | RefusedDraft> {
  const made = await makeDrafts(stores, params);
  if (isRefusedDraft(made)) return made;
  const { guildId, before, after } = params;
  return {
    before: await findOccurrences(guildId, before, stores.store, stores.calendars),
    after: await findOccurrences(guildId, after, made.store, made.calendars),
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

/** All occurrences of the stored events that start in the windows. */
function listStored(
  { store }: DraftStores,
  calendars: CalendarReads,
  maxCalendars: number,
  { guildId, windows, limit, only = {} }: DraftOccurrencesParams,
): Promise<Listed> {
  const params = { guildId, windows, limit, texts: false, only };
  return calendarWindows(store, calendars).listStarting(params, async (number) => isAllowed(number, maxCalendars));
}

/** The occurrences of some events, with their texts. */
async function listEvents(
  drafted: readonly DraftedEvent[],
  calendars: CalendarReads,
  maxCalendars: number,
  { guildId, window, limit }: DraftOccurrencesParams,
): Promise<Listed> {
  const allowed = drafted.filter(({ event }) => isAllowed(event.calendarNumber, maxCalendars));
  const found = soonestOccurrences<Occurrence>(limit, ({ occurrenceId }) => occurrenceId);
  const overrides = allowed.flatMap((each) => [...each.overrides.values()]);
  const events = allowed.map(({ event }) => event);
  const numbers = [...new Set(events.map(({ calendarNumber }) => calendarNumber))];
  const calendarOf = new Map(
    await Promise.all(numbers.map(async (number) => [number, await calendars.find(guildId, number)] as const)),
  );
  const slices = new TimeSlice();
  const occurrences = await effectiveOccurrences(
    { events, moved: overrides.filter(({ moved, cancelled }) => moved !== undefined && !cancelled) },
    {
      guildId,
      reads: { overrides: async () => overrides },
      eventsOf: async () => events,
      window,
      calendarOf: ({ calendarNumber }) => calendarOf.get(calendarNumber)!,
      expand: (series, isExcluded) =>
        eachOccurrenceStarting(series, upTo(window, found.horizon), limit + 1, isExcluded),
      isInWindow: (times) => startsIn(times, window),
    },
  );
  for (const occurrence of occurrences) {
    found.add(announcedOccurrence(occurrence, calendarOf.get(occurrence.event.calendarNumber)!));
    if (slices.isOver) await slices.rest();
  }
  return { occurrences: found.list(), truncated: found.truncated };
}

function upTo({ from, until }: Window, last: EpochMs): Window {
  return { from, until: Math.min(until, last + 1) };
}

/** Separates the occurrences that are the same before and after. */
async function partition(
  before: readonly Occurrence[],
  after: readonly Occurrence[],
): Promise<Pick<DraftedOccurrences, "unchanged" | "before" | "after">> {
  const slices = new TimeSlice();
  const keys = new Map<OccurrenceId, string>();
  for (const occurrence of before) {
    keys.set(occurrence.occurrenceId, keyOf(occurrence));
    if (slices.isOver) await slices.rest();
  }
  const same = new Set<OccurrenceId>();
  for (const occurrence of after) {
    if (keys.get(occurrence.occurrenceId) === keyOf(occurrence)) same.add(occurrence.occurrenceId);
    if (slices.isOver) await slices.rest();
  }
  const differs = ({ occurrenceId }: Occurrence) => !same.has(occurrenceId);
  const unchanged = after.filter(({ occurrenceId }) => same.has(occurrenceId));
  return { unchanged, before: before.filter(differs), after: after.filter(differs) };
}

/** The occurrences in both lists of which a field differs that posts may show. */
function alteredIds(before: readonly Occurrence[], after: readonly Occurrence[]): OccurrenceId[] {
  const keys = new Map(before.map((occurrence) => [occurrence.occurrenceId, shownKey(occurrence)]));
  const known = after.filter(({ occurrenceId }) => keys.has(occurrenceId));
  return known
    .filter((occurrence) => keys.get(occurrence.occurrenceId) !== shownKey(occurrence))
    .map(({ occurrenceId }) => occurrenceId);
}

/** Whether posts may show the field: not if it says when, or by which request, the occurrence was set. */
const IS_SHOWN: Readonly<Record<keyof Occurrence, boolean>> = {
  occurrenceId: true,
  eventId: true,
  follows: false,
  calendarNumber: true,
  // Few templates show the name of the calendar or the number of the occurrence (D61).
  calendarName: false,
  occurrenceNumber: false,
  timezone: true,
  startsAt: true,
  endsAt: true,
  allDay: true,
  startDate: true,
  endDate: true,
  name: true,
  description: true,
  location: true,
  image: true,
  color: true,
  recurs: true,
  isFirst: true,
  scheduledAt: false,
  endSetAt: false,
  coloredAt: false,
  createdAt: false,
  until: true,
  changedBy: false,
};

function shownKey(occurrence: Occurrence): string {
  return keyOf(fieldsOf(occurrence, (name) => IS_SHOWN[name]));
}

function fieldsOf(occurrence: Occurrence, isWanted: (name: keyof Occurrence) => boolean): Partial<Occurrence> {
  return Object.fromEntries(Object.entries(occurrence).filter(([name]) => isWanted(name as keyof Occurrence)));
}

function keyOf(record: object): string {
  return JSON.stringify(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function withoutTexts(occurrence: Occurrence): Occurrence {
  const texts = new Set<string>([...EVENT_TEXTS, "calendarName", "occurrenceNumber"]);
  return fieldsOf(occurrence, (name) => !texts.has(name)) as Occurrence;
}
