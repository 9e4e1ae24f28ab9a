import type { BroadcastChange } from "../../../services/dispatch/protocol/dispatcher.ts";
import { digestId } from "../../../services/contracts/announcement-digests.ts";
import type { Announcement, AnnouncementRule } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import { type Change, partitionOf } from "../../../services/contracts/change-feed.contract.ts";
import type { GuildSettings } from "../../../services/contracts/guild-settings.contract.ts";
import { pauseEndedBy } from "../../../services/contracts/pause.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import type { FormerState } from "../../../services/dispatch/domain/plan/cancelled-before-planned.ts";
import type { Feed } from "../../../services/dispatch/protocol/feeds.ts";
import { CALENDAR, digestsOf, digestWith, type ZoneEra } from "./simulated-digests.ts";
import { HOLIDAYS, isHolidayId, type SimulatedHoliday, withHoliday } from "./simulated-holidays.ts";
import type { Owners } from "../../../services/dispatch/protocol/ports.ts";

/** A version of an announcement or an occurrence, valid from an instant on; null after its removal. */
interface RecordVersion<Content> {
  /** The instant from which it can be read, at which its write was acknowledged. */
  readonly visibleAt: number;
  /** The time of the write, by the database's clock. */
  readonly stampedAt: number;
  readonly content: Content | null;
}

export type History<Content> = RecordVersion<Content>[];

/** The owner services, with all versions of their records. */
export interface SimulatedOwners {
  readonly announcements: Map<string, History<Announcement>>;
  readonly occurrences: Map<string, History<Occurrence>>;
  /** By guild; a guild without settings has no pause. */
  readonly settings: Map<string, History<GuildSettings>>;
  readonly calendars: Map<string, History<readonly ZoneEra[]>>;
  readonly holidays: Map<string, History<SimulatedHoliday>>;
  /** The entries of the calendar of holidays at an instant. */
  holidaysAt(at: number): readonly SimulatedHoliday[];
  /** The zones of the calendar, at an instant or now. */
  zones(at?: number): readonly ZoneEra[];
  /** Former rules and occurrences of the guild. */
  former(guildId: GuildId): FormerState;
  guildOf(id: string): GuildId | undefined;
  /** Stores a new version of a record. The version has the present time, and can be read `slowMs` later. */
  change(feed: Feed, guildId: GuildId, id: string, next: (stampedAt: number) => unknown, slowMs: number): void;
  /** The owner services' actions, which never reject. */
  readonly now: Omit<Owners, "isReachable">;
}

interface Entry extends Change {
  readonly feed: Feed;
  readonly visibleAt: number;
}

/**
 * @param databaseNow - The clock for the times of writes.
 * @param heard - Called for each change as soon as it can be read.
 */
export function newSimulatedOwners(
  time: { readonly now: number; after(ms: number, happen: () => void): void },
  databaseNow: () => number,
  heard: (hint: BroadcastChange) => void,
): SimulatedOwners {
  const announcements = new Map<string, History<Announcement>>();
  const occurrences = new Map<string, History<Occurrence>>();
  const settings = new Map<string, History<GuildSettings>>();
  const calendars = new Map<string, History<readonly ZoneEra[]>>();
  const holidays = new Map<string, History<SimulatedHoliday>>();
  const historiesOf = { announcements, "calendar-events": occurrences, "guild-settings": settings } as const;
  const log: Entry[] = [];
  const revisions = new Map<string, number>();
  const pending = new Set<string>();
  const guilds = new Map<string, GuildId>();

  function change(feed: Feed, guildId: GuildId, id: string, next: (stampedAt: number) => unknown, slowMs: number) {
    // The owner refuses a write of a record while an earlier one is not visible yet.
    if (pending.has(id)) return;
    pending.add(id);
    const stampedAt = databaseNow();
    const visibleAt = time.now + slowMs;
    const revision = (revisions.get(id) ?? 0) + 1;
    revisions.set(id, revision);
    guilds.set(id, guildId);
    const isCalendar = id === CALENDAR;
    const ofEvents = isHolidayId(id) ? holidays : historiesOf[feed];
    const histories = isCalendar ? calendars : ofEvents;
    const stored = histories.get(id)?.at(-1)?.content ?? null;
    const body = next(stampedAt) as Announcement | null;
    const paused = body && !isCalendar ? { ...body, ...endedPauses(stored, body, stampedAt) } : body;
    const content = feed === "announcements" && paused !== null ? { ...paused, guildId, revision } : paused;
    time.after(slowMs, () => {
      pending.delete(id);
      const history = histories.get(id) ?? [];
      history.push({ visibleAt, stampedAt, content: content as never });
      histories.set(id, history as never);
      const isNewEvent = feed === "calendar-events" && revision === 1 && content !== null;
      const startsAt = isNewEvent ? (content as unknown as Occurrence).startsAt : undefined;
      const entry = { feed, id, guildId, revision, changedAt: stampedAt, visibleAt, deleted: content === null };
      log.push(startsAt === undefined ? entry : { ...entry, startsAt });
      // The broadcast of settings names no record.
      heard({ guildId, startsAt, ...(feed === "guild-settings" ? {} : { record: { feed, id, revision } }) });
    });
  }

  function current<Content>(histories: Map<string, History<Content>>): Content[] {
    return [...histories.values()].flatMap((history) => history.at(-1)?.content ?? []);
  }

  /** The state of each record before its last relevant change. */
  function formerOf<Content extends object>(
    histories: Map<string, History<Content>>,
    guildId: GuildId,
    counts: (before: Content, after: Content | null) => boolean,
  ): (Content & { readonly until: number })[] {
    return [...histories].flatMap(([id, history]) => {
      if (guilds.get(id) !== guildId) return [];
      for (let at = history.length - 1; at > 0; at -= 1) {
        const [before, after] = [history[at - 1] as RecordVersion<Content>, history[at] as RecordVersion<Content>];
        if (before.content !== null && counts(before.content, after.content)) {
          return [{ ...before.content, until: after.stampedAt }];
        }
      }
      return [];
    });
  }

  function former(guildId: GuildId): FormerState {
    return {
      rules: formerOf(announcements, guildId, isOtherRule),
      occurrences: formerOf(occurrences, guildId, isExcluded),
    };
  }

  function zones(at = Infinity): readonly ZoneEra[] {
    return calendars.get(CALENDAR)?.findLast(({ visibleAt }) => visibleAt <= at)?.content ?? [];
  }

  function holidaysAt(at: number): readonly SimulatedHoliday[] {
    return [...holidays.values()].flatMap(
      (history) => history.findLast(({ visibleAt }) => visibleAt <= at)?.content ?? [],
    );
  }

  /** The occurrence with its holiday, if that is asked for. */
  function withHolidayOf(occurrence: Occurrence, holidaysOf: readonly (number | undefined)[] = []): Occurrence {
    return holidaysOf.includes(HOLIDAYS) ? withHoliday(occurrence, holidaysAt(Infinity)) : occurrence;
  }

  return {
    calendars,
    holidays,
    holidaysAt,
    zones,
    announcements,
    occurrences,
    settings,
    former,
    guildOf: (id) => guilds.get(id),
    change,
    now: {
      announcementRules: async (guildId, after) => [
        ...current(announcements).filter((one) => one.guildId === guildId),
        ...former(guildId).rules.filter(({ until = 0 }) => until > after),
      ],
      announcingGuilds: async (guildIds) =>
        guildIds.filter(
          (guildId) =>
            current(announcements).some((one) => one.guildId === guildId && one.enabled) ||
            former(guildId).rules.length > 0,
        ),
      announcement: async (_guildId, id) => announcements.get(id)?.at(-1)?.content ?? null,
      occurrences: async ({
        guildId,
        windows,
        anchor = "START",
        limit,
        changedSince = 0,
        formerAfter = Infinity,
        digests,
        holidaysOf,
      }) => {
        const { rules = [], window = { from: 0, until: 0 } } = digests ?? {};
        const ofRules = rules.map(({ announcementId: id, digest }) => ({ id, digest }) as AnnouncementRule);
        const isDue = ({ startsAt }: Occurrence) => startsAt >= window.from && startsAt < window.until;
        const dueDigests = digestsOf(ofRules, zones()).filter(isDue);
        const anchorOf = ({ startsAt, endsAt, createdAt = 0, rescheduledAt = 0 }: Occurrence) =>
          ({ START: startsAt, END: endsAt, CREATED: createdAt, CHANGED: rescheduledAt })[anchor];
        const within = (one: Occurrence) =>
          guilds.get(one.occurrenceId) === guildId &&
          windows.some(({ from, until }) => anchorOf(one) >= from && anchorOf(one) < until);
        const isChanged = ({ scheduledAt, endSetAt = 0, coloredAt }: Occurrence) =>
          Math.max(scheduledAt, endSetAt, coloredAt) >= changedSince;
        const found = [...current(occurrences).filter(within), ...dueDigests]
          .filter(isChanged)
          .sort((one, other) => anchorOf(one) - anchorOf(other))
          .map((one) => withHolidayOf(one, holidaysOf));
        const formerOccurrences = former(guildId).occurrences.filter(
          (one) => within(one) && (one.until ?? 0) > formerAfter,
        );
        return { occurrences: found.slice(0, limit), truncated: found.length > limit, former: formerOccurrences };
      },
      async occurrence(_guildId, id, holidaysOf) {
        const found = occurrences.get(id)?.at(-1)?.content ?? null;
        return found && withHolidayOf(found, [holidaysOf]);
      },
      digest: async ({ announcementId, digest, date }) => {
        const rule = { id: announcementId, digest } as AnnouncementRule;
        return digestWith(rule, zones(), digestId(announcementId, date), current(occurrences));
      },
      settings: async (guildId) => settings.get(guildId)?.at(-1)?.content ?? ({ guildId } as GuildSettings),
      async changesSince(feed, { mark, partitions, limit }) {
        const latest = new Map<string, Entry>();
        for (const entry of log) if (entry.feed === feed) latest.set(entry.id, entry);
        const changes = [...latest.values()]
          .filter(({ changedAt, id }) => changedAt > mark.at || (changedAt === mark.at && id > mark.id))
          .filter(({ guildId }) => partitions?.includes(partitionOf(guildId)) ?? true)
          .sort((one, other) => one.changedAt - other.changedAt || (one.id < other.id ? -1 : 1));
        const page = changes.slice(0, limit);
        const last = page.at(-1);
        const next = last === undefined ? mark : { at: last.changedAt, id: last.id };
        const readAt = page.length === 0 ? {} : { readAt: databaseNow() };
        return { changes: page, mark: next, ...readAt, more: changes.length > limit };
      },
    },
  };
}

/** What the owner adds to a record: how far the pauses before the write have reached. An occurrence has the result. */
function endedPauses(stored: object | null, body: object, at: number): object {
  const before = (stored ?? {}) as Partial<Announcement & Occurrence>;
  const { eventPausedUntil: paused = 0 } = body as Partial<Occurrence>;
  const reached = Math.max(paused, Math.min(before.eventPausedUntil ?? 0, at));
  return { ...pauseEndedBy(before, at), ...(reached === 0 ? {} : { eventPausedUntil: reached }) };
}

function isOtherRule(before: Announcement, after: Announcement | null): boolean {
  return before.enabled && (after?.enabled !== true || before.standsSince !== after.standsSince);
}

function isExcluded(before: Occurrence, after: Occurrence | null): boolean {
  if (before.endSetAt !== after?.endSetAt) return true;
  return before.scheduledAt !== after?.scheduledAt || before.coloredAt !== after.coloredAt;
}
