import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { unhandled } from "../../../mixins/objects/unhandled.ts";
import type {
  Announcement,
  AnnouncementRule,
  UpdateAnnouncementParams,
} from "../../contracts/announcements.contract.ts";
import { MAX_ANNOUNCEMENTS } from "../../contracts/announcements.contract.ts";
import { type DraftChange, draftAnnouncementId, writeParams } from "../../contracts/draft-changes.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import { type SkipOn, skipOnProblems } from "../../contracts/holidays.ts";
import type { AnnouncementId } from "../../contracts/ids.ts";
import type {
  DraftedAnnouncements,
  DraftedReference,
  DraftAnnouncementsParams,
  RefusedDraft,
} from "../../contracts/owner-drafts.contract.ts";
import { type Pause, pauseEndedBy } from "../../contracts/pause.ts";
import { revisionMismatch } from "../../contracts/revision.ts";
import { changeAnnouncement, newAnnouncement } from "./announcement.ts";
import { eventReference, referredId, usesEvent } from "./event-reference.ts";

/** The announcements of a guild before a list of changes. */
export interface StoredAnnouncements {
  readonly rules: readonly AnnouncementRule[];
  /** The announcements that the changes name, by id; without those that do not exist. */
  readonly named: ReadonlyMap<string, Announcement>;
}

type NamedCalendars = Pick<UpdateAnnouncementParams, "digest" | "skipOn"> & { readonly id?: string };

/** The ids of the stored announcements that the changes name. */
export function namedAnnouncements(changes: readonly DraftChange[]): string[] {
  const ids = changes.flatMap((change) =>
    change.action === "UPDATE_ANNOUNCEMENT" || change.action === "DELETE_ANNOUNCEMENT" ? [change.id] : [],
  );
  return [...new Set(ids)];
}

/**
 * Makes the changes of announcements one after the other, as their writes would (D58). Other changes are skipped, except the
 * delete of an event together with its announcements.
 */
export function draftedAnnouncements(
  { rules, named }: StoredAnnouncements,
  { guildId, changes, now, references, maxCalendars = [] }: DraftAnnouncementsParams,
): DraftedAnnouncements | RefusedDraft {
  const ruleById = new Map(rules.map((rule) => [rule.id as string, rule]));
  const announcements = new Map(named);
  const changed = new Set<AnnouncementId>();

  function store(next: Announcement): void {
    changed.add(next.id);
    announcements.set(next.id, next);
    ruleById.set(next.id, ruleOf(next));
  }

  function remove(id: AnnouncementId): void {
    changed.add(id);
    announcements.delete(id);
    ruleById.delete(id);
  }

  /** The refusal of a calendar of a digest (D20), or of holidays (D66); undefined if the guild may name it. */
  function calendarRefusal(at: number, { id, digest, skipOn }: NamedCalendars): Refusal | undefined {
    const isAllowed = (number: number) => number <= Math.max(1, maxCalendars[at] ?? 1);
    if (![digest?.calendarNumber ?? 1, skipOn ?? 1].every(isAllowed)) return refuse("CALENDAR_NOT_FOUND");
    const problems = skipOnProblems([...ruleById.values()], definedFields({ id, skipOn }));
    return problems.length === 0 ? undefined : refuse("INVALID_REQUEST", problems);
  }

  function change(at: number, draft: DraftChange): Refusal | undefined {
    switch (draft.action) {
      case "CREATE_ANNOUNCEMENT": {
        const params = writeParams<"CREATE_ANNOUNCEMENT">(guildId, draft);
        const ofCalendar = calendarRefusal(at, params);
        if (ofCalendar !== undefined) return ofCalendar;
        const eventId = resolvedReference(references, at, params.type, params.eventId);
        if (isRefusal(eventId)) return eventId;
        if (ruleById.size >= MAX_ANNOUNCEMENTS) return refuse("TOO_MANY_ANNOUNCEMENTS");
        store({ ...newAnnouncement(draftAnnouncementId(at), params, eventId ?? ""), standsSince: now });
        return undefined;
      }
      case "UPDATE_ANNOUNCEMENT": {
        const params = writeParams<"UPDATE_ANNOUNCEMENT">(guildId, draft);
        const stored = announcements.get(params.id);
        if (stored === undefined) return refuse("ANNOUNCEMENT_NOT_FOUND");
        const mismatch = revisionMismatch(stored.revision, params.ifRevision);
        const refusal = mismatch ?? calendarRefusal(at, params);
        if (refusal !== undefined) return refusal;
        const eventId = resolvedReference(references, at, params.type ?? stored.type, params.eventId);
        const outcome = isRefusal(eventId) ? eventId : changeAnnouncement(stored, params, eventId);
        if (isRefusal(outcome)) return outcome;
        const { next, restartsRule, isUnchanged } = outcome;
        const standsSince = restartsRule ? now : stored.standsSince;
        if (!isUnchanged) store({ ...next, ...pauseEndedBy(stored, now), standsSince });
        return undefined;
      }
      case "DELETE_ANNOUNCEMENT": {
        const stored = announcements.get(draft.id);
        if (stored === undefined) return refuse("ANNOUNCEMENT_NOT_FOUND");
        const mismatch = revisionMismatch(stored.revision, draft.ifRevision);
        if (mismatch === undefined) remove(stored.id);
        return mismatch;
      }
      case "DELETE_EVENT": {
        if (draft.announcements !== "delete") return undefined;
        const eventId = draft.scope === "all" ? referredId("RECUR", draft.eventId) : draft.eventId;
        for (const rule of ruleById.values()) if (namesEvent(rule, eventId)) remove(rule.id);
        return undefined;
      }
      case "CREATE_EVENT":
      case "UPDATE_EVENT":
      case "UPDATE_CALENDAR":
      case "UPDATE_SETTINGS":
        return undefined;
      default:
        unhandled(draft);
        return undefined;
    }
  }

  for (const [at, draft] of changes.entries()) {
    const refusal = change(at, draft);
    if (refusal !== undefined) return { refused: { at, refusal } };
  }
  return {
    before: rules,
    after: [...ruleById.values()],
    changed: [...changed].map((id) => {
      const announcement = announcements.get(id);
      return announcement === undefined ? { id } : { id, announcement };
    }),
  };
}

/** The event id to store; undefined if the type uses no event or none was given (D24, D27). */
function resolvedReference(
  references: readonly DraftedReference[],
  at: number,
  type: Announcement["type"],
  eventId = "",
): Announcement["eventId"] | undefined | Refusal {
  if (!usesEvent(type) || eventId === "") return undefined;
  const id = referredId(type, eventId);
  return eventReference(type, references.find((each) => each.at === at && each.eventId === id)?.found ?? null);
}

/** Whether an announcement refers to the event or to an occurrence of it (D42). */
function namesEvent({ eventId }: AnnouncementRule, removed: string): boolean {
  return eventId === removed || eventId.startsWith(`${removed}_`);
}

function ruleOf(announcement: Announcement): AnnouncementRule {
  const { id, channel, type, eventId, eventColor, hours, minutes, offsets, digest, enabled, revision, standsSince } =
    announcement;
  const { pausedUntil, pauseEndedAt, skipOn }: Pause & SkipOn = announcement;
  const { onChange, cleanUp } = announcement;
  return complete<Omit<AnnouncementRule, "until">>()({
    id,
    channel,
    type,
    eventId,
    eventColor,
    hours,
    minutes,
    ...definedFields({ offsets, digest, onChange, cleanUp, pausedUntil, pauseEndedAt, skipOn }),
    enabled,
    revision,
    standsSince,
  });
}
