import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import { pauseEndedBy } from "../../contracts/pause.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { ChangedEvent } from "../domain/event/change-event.ts";
import type { ChangedOverride } from "../domain/event/change-occurrence.ts";
import type { CalendarEvent, StoredEvent } from "../domain/event/event.ts";
import { parseEventId } from "../domain/event/occurrence-id.ts";
import type { Override } from "../domain/event/override.ts";
import type { ResolverStore } from "../event-resolver.ts";
import type { WritesStore } from "../event-writes.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";

/** The stored events that drafts begin with. */
export type DraftBase = Pick<CalendarEventsStore, "find" | "following" | "overrides" | "countStored">;

/** An event with all its overrides, by original start. */
export interface DraftedEvent {
  readonly event: StoredEvent;
  readonly overrides: ReadonlyMap<EpochMs, Override>;
}

/** A store whose writes stay in memory, over the stored events. */
export interface DraftStore extends WritesStore, ResolverStore {
  /** The changed events as they are stored; without those that are new. */
  before(): readonly DraftedEvent[];
  /** The changed events after the writes; without those that were removed. */
  after(): readonly DraftedEvent[];
  /** Whether a write has changed the event. */
  isChanged(id: EventId): boolean;
}

const ALL_TIME = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER };

/**
 * The writes of events in memory. The times that the database would set are `now`.
 *
 * @param maxEvents - Largest number of events of a guild.
 */
export function draftStore(base: DraftBase, maxEvents: number, now: EpochMs): DraftStore {
  const before = new Map<EventId, DraftedEvent>();
  /** Undefined for an event that was removed. */
  const after = new Map<EventId, DraftedEvent | undefined>();
  let stored: number | undefined;
  let added = 0;

  /** Counts another event, or override; refuses if the guild has too many (D39). */
  async function reserve(guildId: GuildId): Promise<Refusal | undefined> {
    stored ??= await base.countStored(guildId);
    if (stored + added < maxEvents) {
      added += 1;
      return undefined;
    }
    return refuse("TOO_MANY_EVENTS", undefined, `The guild has ${maxEvents} events and changed occurrences already`);
  }

  /** The event before the present write, with its overrides. */
  async function changing(id: EventId, guildId: GuildId): Promise<DraftedEvent> {
    const known = after.get(id);
    if (known !== undefined) return known;
    const found = await base.find(guildId, id);
    if (found === undefined) throw new Error(`event ${id} was removed during a draft`);
    const { event } = found;
    const overrides = event.recurring?.hasOverrides === true ? await base.overrides(guildId, [id], ALL_TIME) : [];
    const drafted = { event, overrides: new Map(overrides.map((override) => [override.original, override])) };
    before.set(id, drafted);
    return drafted;
  }

  /** The timestamps of an event after a write; those of fields that are unchanged stay. */
  function timesOf({ rescheduled, recolored, endChanged }: Partial<ChangedEvent>, stamps: Partial<Stamps>): Stamps {
    const { scheduledAt = now, coloredAt = now, createdAt } = stamps;
    return {
      scheduledAt: rescheduled === true ? now : scheduledAt,
      coloredAt: recolored === true ? now : coloredAt,
      ...definedFields({ createdAt, endSetAt: endChanged === true ? now : stamps.endSetAt }),
    };
  }

  return {
    before: () => [...before.values()],
    after: () => [...after.values()].filter((each) => each !== undefined),
    isChanged: (id) => after.has(id),

    async find(guildId, id, occurrence) {
      if (!after.has(id)) return base.find(guildId, id, occurrence);
      const drafted = after.get(id);
      if (drafted?.event.guildId !== guildId) return undefined;
      const original = occurrence === undefined ? undefined : parseEventId(occurrence)?.original;
      const override = original === undefined ? undefined : drafted.overrides.get(original);
      return override === undefined ? { event: drafted.event } : { event: drafted.event, override };
    },

    async following(guildId, ids) {
      const found = await base.following(guildId, ids);
      const own = [...after.values()].flatMap((each) => (each === undefined ? [] : [each.event]));
      const follows = ({ follows: followed = [] }: CalendarEvent) => followed.some((id) => ids.includes(id));
      return [...found.filter(({ id }) => !after.has(id)), ...own.filter(follows)];
    },

    async overriddenStarts(guildId, id) {
      const drafted = after.get(id);
      if (drafted !== undefined) return [...drafted.overrides.keys()];
      return (await base.overrides(guildId, [id], ALL_TIME)).map(({ original }) => original);
    },

    async insert(event) {
      const refusal = await reserve(event.guildId);
      if (refusal !== undefined) return refusal;
      const stamps = { scheduledAt: now, coloredAt: now, createdAt: now };
      after.set(event.id, { event: { ...event, ...stamps }, overrides: new Map() });
      return true;
    },

    async replace({ event, ...changed }, keep) {
      const drafted = await changing(event.id, event.guildId);
      const kept = keep === "all" ? drafted.overrides : keptOverrides(drafted.overrides, keep);
      added -= drafted.overrides.size - kept.size;
      const stamps = { ...timesOf(changed, drafted.event), ...pauseEndedBy(drafted.event, now) };
      after.set(event.id, { event: { ...event, ...stamps }, overrides: kept });
      return true;
    },

    async saveOverride(series, { override, ...changed }) {
      const drafted = await changing(series.id, series.guildId);
      const known = drafted.overrides.get(override.original);
      const refusal = known === undefined ? await reserve(series.guildId) : undefined;
      if (refusal !== undefined) return refusal;
      const overrides = new Map(drafted.overrides).set(override.original, {
        ...override,
        ...stampsOfOverride(changed, known, now),
      });
      after.set(series.id, { event: { ...series, ...timesOf({}, drafted.event) }, overrides });
      return true;
    },

    async split({ before: first, following, stored: series, from, keep }) {
      const refusal = await reserve(first.guildId);
      if (refusal !== undefined) return refusal;
      const drafted = await changing(first.id, first.guildId);
      const { event, ...changed } = following;
      const moved = keptOverrides(drafted.overrides, keep);
      const earlier = overridesBefore(drafted.overrides, from);
      added -= drafted.overrides.size - earlier.size - moved.size;
      after.set(first.id, { event: { ...first, ...timesOf({}, drafted.event) }, overrides: earlier });
      after.set(event.id, {
        event: { ...event, ...timesOf(changed, series), createdAt: now, ...pauseEndedBy(series, now) },
        overrides: new Map([...moved].map(([original, override]) => [original, { ...override, eventId: event.id }])),
      });
      return true;
    },

    async remove({ id, guildId }) {
      const drafted = await changing(id, guildId);
      added -= 1 + drafted.overrides.size;
      after.set(id, undefined);
      return true;
    },

    // Nothing is stored, so no attempt has stored anything.
    wasCreated: async () => false,
    revisionWritten: async () => undefined,
  };
}

type Stamps = Pick<StoredEvent, "scheduledAt" | "coloredAt" | "endSetAt" | "createdAt">;

/** The times that the write of an override sets: those of fields that are unchanged stay, and may be absent. */
function stampsOfOverride(
  { rescheduled, recolored, endChanged }: Omit<ChangedOverride, "override">,
  known: Override | undefined,
  now: EpochMs,
): Pick<Override, "scheduledAt" | "coloredAt" | "endSetAt"> {
  return definedFields({
    scheduledAt: rescheduled ? now : known?.scheduledAt,
    coloredAt: recolored ? now : known?.coloredAt,
    endSetAt: endChanged === true ? now : known?.endSetAt,
  });
}

function overridesBefore(overrides: ReadonlyMap<EpochMs, Override>, from: EpochMs): ReadonlyMap<EpochMs, Override> {
  return new Map([...overrides].filter(([original]) => original < from));
}

function keptOverrides(
  overrides: ReadonlyMap<EpochMs, Override>,
  keep: readonly EpochMs[],
): ReadonlyMap<EpochMs, Override> {
  const kept = new Set(keep);
  return new Map([...overrides].filter(([original]) => kept.has(original)));
}
