import { draftedAnnouncements, namedAnnouncements } from "../../services/announcements/domain/drafted-announcements.ts";
import { changeAnnouncement, newAnnouncement } from "../../services/announcements/domain/announcement.ts";
import { eventReference, referredId, usesEvent } from "../../services/announcements/domain/event-reference.ts";
import { calendarWindows } from "../../services/calendar-events/calendar-windows.ts";
import { changeCalendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { listDrafted, showDrafted } from "../../services/calendar-events/drafts/list-drafted.ts";
import { eventResolver, toView } from "../../services/calendar-events/event-resolver.ts";
import { holidayReads } from "../../services/calendar-events/holidays.ts";
import { eventWrites } from "../../services/calendar-events/event-writes.ts";
import { announcedOccurrences } from "../../services/calendar-events/occurrences-by-anchor.ts";
import type { CalendarsStore } from "../../services/calendar-events/store/calendars.store.ts";
import { digestRules } from "../../services/contracts/announcement-digests.ts";
import type {
  Announcement,
  AnnouncementRule,
  UpdateAnnouncementParams,
} from "../../services/contracts/announcements.contract.ts";
import {
  draftAnnouncementId,
  type DraftChange,
  draftEventId,
  writeParams,
} from "../../services/contracts/draft-changes.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../services/contracts/errors.ts";
import type { GuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import { holidayCalendars } from "../../services/contracts/holidays.ts";
import { pauseEndedBy } from "../../services/contracts/pause.ts";
import type { EpochMs, GuildId } from "../../services/contracts/ids.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
} from "../../services/contracts/occurrences.contract.ts";
import type { Window } from "../../services/contracts/window.ts";
import type { DraftOwners } from "../../services/dispatch/queries/drafted-guild.ts";
import { draftedSettings } from "../../services/guild-settings/domain/drafted-settings.ts";
import { changeSettings, defaultSettings } from "../../services/guild-settings/domain/guild-settings.ts";
import { memoryCalendars, memoryEvents, type MemoryRows } from "./memory-events.ts";

const GUILD = "1" as GuildId;
const MAX_EVENTS = 1_000;

/** A guild in memory. Its writes are the real ones, on stores in memory. */
export class MemoryGuild {
  readonly id = GUILD;
  readonly rows: MemoryRows = { now: 0, events: new Map(), overrides: new Map(), calendars: new Map() };
  readonly announcements = new Map<string, Announcement>();
  settings: GuildSettings = defaultSettings(GUILD);
  /** Numbers of the calendars that follow an address (D55). */
  readonly followed = new Set<number>();
  readonly #events = memoryEvents(this.rows);
  readonly #calendars = memoryCalendars(this.rows);
  readonly #resolver = eventResolver(this.#events, this.#calendars);

  get now(): EpochMs {
    return this.rows.now;
  }

  set now(now: EpochMs) {
    this.rows.now = now;
  }

  rules(): AnnouncementRule[] {
    return [...this.announcements.values()];
  }

  async occurrences(window: Window): Promise<Occurrence[]> {
    const holidaysOf = holidayCalendars(this.rules());
    const digests = { rules: digestRules(this.rules()), window };
    return (await this.list({ guildId: GUILD, windows: [window], limit: 10_000, holidaysOf, digests })).occurrences;
  }

  /** The occurrences as their owner lists them. */
  async list(params: OccurrencesStartingParams): Promise<OccurrencesStarting> {
    const isAllowed = async (number: number) => this.#mayHave(number);
    const windows = calendarWindows(this.#events, this.#calendars);
    const found = await announcedOccurrences(this.#events, this.#calendars, windows).list(params, isAllowed);
    return holidayReads(this.#events, this.#calendars).ofList(params, found, isAllowed);
  }

  #mayHave(calendarNumber: number): boolean {
    return calendarNumber <= Math.max(1, this.settings.maxCalendars);
  }

  #mayName({ digest, skipOn }: Pick<UpdateAnnouncementParams, "digest" | "skipOn">): boolean {
    return [digest?.calendarNumber ?? 1, skipOn ?? 1].every((number) => this.#mayHave(number));
  }

  /** A copy of the rows, for reads of what the guild was. */
  get copiedRows(): MemoryRows {
    const { now, events, overrides, calendars } = this.rows;
    return { now, events: new Map(events), overrides: new Map(overrides), calendars: new Map(calendars) };
  }

  /** Stores a change. What it creates has the ids of the draft with this index. */
  async write(change: DraftChange, at: number): Promise<Refusal | undefined> {
    const outcome = await this.#write(change, at);
    return isRefusal(outcome) ? outcome : undefined;
  }

  async #write(change: DraftChange, at: number): Promise<unknown> {
    if ("calendarNumber" in change && !this.#mayHave(change.calendarNumber)) {
      return refuse("CALENDAR_NOT_FOUND");
    }
    const writes = eventWrites(this.#events, this.#calendars, this.#resolver, () => draftEventId(at));
    switch (change.action) {
      case "CREATE_EVENT":
        return writes.create(writeParams<"CREATE_EVENT">(GUILD, change));
      case "UPDATE_EVENT":
        return writes.update(writeParams<"UPDATE_EVENT">(GUILD, change));
      case "DELETE_EVENT": {
        const removed = await writes.remove(writeParams<"DELETE_EVENT">(GUILD, change));
        if (isRefusal(removed)) return removed;
        const id: string = change.scope === "all" ? removed.id : change.eventId;
        const isNamed = ({ eventId }: Announcement) => eventId === id || eventId.startsWith(`${id}_`);
        if (change.announcements !== "delete") return undefined;
        for (const each of this.announcements.values()) if (isNamed(each)) this.announcements.delete(each.id);
        return undefined;
      }
      case "UPDATE_CALENDAR":
        return this.#calendars.replace(
          changeCalendar(await this.#calendars.find(GUILD, change.calendarNumber), change),
        );
      case "UPDATE_SETTINGS": {
        const { guildId: _, ...fields } = writeParams<"UPDATE_SETTINGS">(GUILD, change);
        const next = changeSettings(this.settings, fields, true);
        if (!isRefusal(next)) this.settings = { ...next, ...pauseEndedBy(this.settings, this.now) };
        return next;
      }
      case "CREATE_ANNOUNCEMENT":
      case "UPDATE_ANNOUNCEMENT":
      case "DELETE_ANNOUNCEMENT":
        return this.#writeAnnouncement(change, at);
    }
  }

  async #writeAnnouncement(
    change: Extract<DraftChange, { readonly action: `${string}_ANNOUNCEMENT` }>,
    at: number,
  ): Promise<unknown> {
    if (change.action === "CREATE_ANNOUNCEMENT") {
      const params = writeParams<"CREATE_ANNOUNCEMENT">(GUILD, change);
      if (!this.#mayName(params)) return refuse("CALENDAR_NOT_FOUND");
      const eventId = await this.#reference(params.type, params.eventId);
      if (isRefusal(eventId)) return eventId;
      const draft = newAnnouncement(draftAnnouncementId(at), params, eventId ?? "");
      return this.announcements.set(draft.id, { ...draft, standsSince: this.now });
    }
    const stored = this.announcements.get(change.id);
    if (stored === undefined) return refuse("ANNOUNCEMENT_NOT_FOUND");
    if (change.action === "DELETE_ANNOUNCEMENT") return this.announcements.delete(stored.id);
    const params = writeParams<"UPDATE_ANNOUNCEMENT">(GUILD, change);
    if (!this.#mayName(params)) return refuse("CALENDAR_NOT_FOUND");
    const eventId = await this.#reference(params.type ?? stored.type, params.eventId);
    const changed = isRefusal(eventId) ? eventId : changeAnnouncement(stored, params, eventId);
    if (isRefusal(changed)) return changed;
    const standsSince = changed.restartsRule ? this.now : stored.standsSince;
    return this.announcements.set(stored.id, { ...changed.next, ...pauseEndedBy(stored, this.now), standsSince });
  }

  async #reference(type: Announcement["type"], eventId = ""): Promise<ReturnType<typeof eventReference> | undefined> {
    if (!usesEvent(type) || eventId === "") return undefined;
    const found = await this.#resolver.find(GUILD, referredId(type, eventId));
    const isFound = found !== undefined && this.#mayHave(found.event.calendarNumber);
    return eventReference(type, isFound ? toView(found) : null);
  }

  /** The owners of the guild's records, for drafts. */
  owners(): DraftOwners {
    const stores = {
      store: this.#events,
      calendars: this.#calendars as CalendarsStore,
      maxEvents: MAX_EVENTS,
      followedRefusal: async ({ calendarNumber }: { readonly calendarNumber: number }) =>
        this.followed.has(calendarNumber) ? refuse("CALENDAR_FOLLOWED") : undefined,
    };
    return {
      announcement: async (_guildId, id) => this.announcements.get(id) ?? null,
      draftSettings: async ({ changes, byOperator, now }) => draftedSettings(this.settings, changes, byOperator, now),
      draftOccurrences: (params) => listDrafted(stores, params),
      showDraftOccurrences: (params) => showDrafted(stores, params),
      draftAnnouncements: async (params) => {
        const ids = new Set(namedAnnouncements(params.changes));
        const named = new Map([...this.announcements].filter(([id]) => ids.has(id)));
        return draftedAnnouncements({ rules: this.rules(), named }, params);
      },
    };
  }
}
