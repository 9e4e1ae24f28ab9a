import type { ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../mixins/actions/contract-action.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import { BoundedList, leastJsonBytes } from "../../mixins/actions/bounded-list.ts";
import { closedConnection, databaseMixin } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { currentWriteId } from "../../mixins/mongo/write-context.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { definedFields } from "../../mixins/objects/defined-fields.ts";
import { WriteQueue } from "../../mixins/mongo/write-queue.ts";
import { broadcast, callAction } from "../../mixins/actions/typed-calls.ts";
import type { AnnouncementType } from "../contracts/announcement-fields.ts";
import {
  type Announcement,
  announcementChanged,
  type AnnouncementChanged,
  announcementsChangesSince,
  announcementsCountChanges,
  createAnnouncement,
  getAnnouncement,
  listAnnouncements,
  listAnnouncementsPage,
  MAX_ANNOUNCEMENTS,
  removeAnnouncement,
  removeAnnouncementsOfEvent,
  updateAnnouncement,
  type UpdateAnnouncementParams,
} from "../contracts/announcements.contract.ts";
import { listAnnouncementRules, listAnnouncingGuilds } from "../contracts/announcement-rules.contract.ts";
import { findEvent } from "../contracts/event-references.contract.ts";
import { getCalendar } from "../contracts/calendars.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import { skipOnProblems } from "../contracts/holidays.ts";
import type { AnnouncementId, GuildId } from "../contracts/ids.ts";
import { listChangedAnnouncements } from "../contracts/guild-changes.contract.ts";
import { listTooLarge } from "../contracts/list-limits.ts";
import { draftAnnouncements } from "../contracts/owner-drafts.contract.ts";
import { revisionMismatch } from "../contracts/revision.ts";
import { announcementPage } from "./announcement-pages.ts";
import { announcementsStore, type AnnouncementsStore } from "./announcements.store.ts";
import { changedAnnouncementsReader } from "./changed-announcements.store.ts";
import { markDangling } from "./dangling.ts";
import { changeAnnouncement, newAnnouncement } from "./domain/announcement.ts";
import { draftedAnnouncements, namedAnnouncements } from "./domain/drafted-announcements.ts";
import { eventReference, referredId, usesEvent } from "./domain/event-reference.ts";

/** The announcements service; see README.md beside this file. */
export function announcementsService({ mongoUrl }: { readonly mongoUrl: string }): ServiceSchema {
  const connection = closedConnection();
  const store = announcementsStore(connection);
  const changedAnnouncements = changedAnnouncementsReader(connection);
  const queue = new WriteQueue();

  /** The revision that an earlier attempt of the write has stored; undefined if none has. */
  async function earlierAttemptOutcome(guildId: GuildId, text: string) {
    const id = text as AnnouncementId;
    const revision = await store.revisionWritten(guildId, id);
    return revision === undefined ? undefined : { next: { guildId, id, revision }, isUnchanged: false };
  }

  return {
    name: "announcements",
    mixins: [databaseMixin(connection, mongoUrl, "announcements"), healthMixin("announcements", connection)],
    actions: {
      ...serve(createAnnouncement, async (params, context) => {
        const { guildId, type } = params;
        const id = (currentWriteId() ?? newWriteId()) as string as AnnouncementId;
        const insert = async () => {
          const ofCalendar = await calendarRefusal(context, store, params);
          if (ofCalendar !== undefined) return ofCalendar;
          const eventId = await resolveReference(context, guildId, type, params.eventId);
          return isRefusal(eventId) ? eventId : store.insert(newAnnouncement(id, params, eventId ?? ""));
        };
        const refusal = await insert();
        if (refusal !== undefined && !(await store.wasCreated(guildId, id))) return refusal;
        broadcastChange(context, { guildId, id, revision: 1 });
        return { id, revision: 1 };
      }),

      ...serve(updateAnnouncement, async (params, context) => {
        const outcome = await queue.run(`${params.guildId}/${params.id}`, () =>
          optimisticWrite({
            load: () => store.find(params.guildId, params.id),
            decide: async (stored) => {
              if (stored === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
              const mismatch = revisionMismatch(stored.revision, params.ifRevision);
              if (mismatch !== undefined) return mismatch;
              const type = params.type ?? stored.type;
              const ofCalendar = await calendarRefusal(context, store, params);
              if (ofCalendar !== undefined) return ofCalendar;
              const eventId = await resolveReference(context, params.guildId, type, params.eventId);
              return isRefusal(eventId) ? eventId : changeAnnouncement(stored, params, eventId);
            },
            save: async ({ next, restartsRule, isUnchanged }) => isUnchanged || store.replace(next, restartsRule),
            findEarlierAttempt: () => earlierAttemptOutcome(params.guildId, params.id),
          }),
        );
        if (isRefusal(outcome)) return outcome;
        if (!outcome.isUnchanged) broadcastChange(context, outcome.next);
        return { revision: outcome.next.revision };
      }),

      ...serve(removeAnnouncement, async ({ guildId, id, ifRevision }, context) => {
        const removed = await queue.run(`${guildId}/${id}`, () =>
          optimisticWrite({
            load: () => store.find(guildId, id),
            decide: (stored) => {
              if (stored === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
              const next = { guildId, id: stored.id, revision: stored.revision + 1 };
              return revisionMismatch(stored.revision, ifRevision) ?? { stored, next };
            },
            save: ({ stored }) => store.remove(stored),
            findEarlierAttempt: () => earlierAttemptOutcome(guildId, id),
          }),
        );
        return isRefusal(removed) ? removed : broadcastChange(context, removed.next);
      }),

      ...serve(removeAnnouncementsOfEvent, async ({ guildId, eventId }, context) => {
        for (const removed of await store.removeOfEvent(guildId, eventId)) broadcastChange(context, removed);
      }),

      ...serve(getAnnouncement, async ({ guildId, id }, context) => {
        const isDispatch = context.meta.caller === undefined;
        const announcement = await (isDispatch ? store.findForDispatch(guildId, id) : store.find(guildId, id));
        if (announcement === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
        return isDispatch ? announcement : (await markDangling([announcement], guildId, context))[0]!;
      }),

      // MongoDB reads a limit of 0 as no limit.
      ...serve(listAnnouncements, async ({ guildId, amount }, context) => {
        if (amount === 0) return [];
        const limit = amount === -1 ? MAX_ANNOUNCEMENTS : amount;
        // Dispatch plans from all announcements, so internal calls have no size limit.
        if (context.meta.caller === undefined) return store.list(guildId, limit);
        const listed = await boundedList(store.listInPages(guildId, limit));
        return isRefusal(listed) ? listed : markDangling(listed, guildId, context);
      }),

      ...serve(listAnnouncementsPage, async ({ guildId, ...params }, context) => {
        const page = await announcementPage(store, guildId, params);
        return isRefusal(page) ? page : { ...page, entries: await markDangling(page.entries, guildId, context) };
      }),

      ...serve(listAnnouncementRules, async ({ guildId, formerAfter }) => {
        if (formerAfter === undefined) return store.listRules(guildId);
        return (await Promise.all([store.listRules(guildId), store.listFormerRules(guildId, formerAfter)])).flat();
      }),

      ...serve(listAnnouncingGuilds, ({ guildIds }) => store.listAnnouncing(guildIds)),

      ...serve(draftAnnouncements, async (params) => {
        const { guildId, changes } = params;
        const [rules, ...found] = await Promise.all([
          store.listRules(guildId),
          ...namedAnnouncements(changes).map((id) => store.findForDispatch(guildId, id)),
        ]);
        const named = new Map(found.flatMap((each) => (each === null ? [] : [[each.id as string, each] as const])));
        return draftedAnnouncements({ rules, named }, params);
      }),

      ...serve(announcementsChangesSince, (params) => store.changesSince(params)),
      ...serve(announcementsCountChanges, (params) => store.countChanges(params)),

      ...serve(listChangedAnnouncements, (params) => changedAnnouncements(params)),
    },
  };
}

/** Collects the announcements in slices of time; refuses if they exceed the limits of a response (D38). */
async function boundedList(pages: AsyncIterable<readonly Announcement[]>): Promise<Announcement[] | Refusal> {
  const list = new BoundedList<Announcement>();
  const slices = new TimeSlice();
  for await (const page of pages) {
    slices.begin();
    for (const announcement of page) {
      const { info, subscribersRole, subscribersUser } = announcement;
      list.add(announcement, leastJsonBytes([info]) + idsBytes(subscribersRole) + idsBytes(subscribersUser));
      if (list.exceeded !== undefined) return listTooLarge(listAnnouncements, list.exceeded);
    }
    if (slices.isOver) await slices.rest();
  }
  return list.entries;
}

/** Size of the ids in JSON, in bytes: digits, two quotes and a separator. */
function idsBytes(ids: readonly string[]): number {
  return ids.reduce((bytes, id) => bytes + id.length + 3, 0);
}

/** The event id to store; undefined if the type uses no event or none was given (D24, D27). */
async function resolveReference(
  context: CallContext<unknown>,
  guildId: GuildId,
  type: AnnouncementType,
  eventId = "",
): Promise<Announcement["eventId"] | undefined | Refusal> {
  if (!usesEvent(type) || eventId === "") return undefined;
  const found = await callAction(context, findEvent, { guildId, eventId: referredId(type, eventId) });
  return eventReference(type, found);
}

/**
 * The calendars of a digest (D20) and of holidays (D66) must be ones that the guild may have: the refusal of their owner becomes that of
 * this action. The number of calendars of holidays is limited.
 */
async function calendarRefusal(
  context: CallContext<unknown>,
  store: Pick<AnnouncementsStore, "listRules">,
  { guildId, id, digest, skipOn }: Pick<UpdateAnnouncementParams, "guildId" | "digest" | "skipOn"> & { id?: string },
): Promise<Refusal | undefined> {
  const numbers = [digest?.calendarNumber, skipOn].filter((number) => typeof number === "number");
  await Promise.all(numbers.map((calendarNumber) => callAction(context, getCalendar, { guildId, calendarNumber })));
  if (typeof skipOn !== "number") return undefined;
  const problems = skipOnProblems(await store.listRules(guildId), { skipOn, ...definedFields({ id }) });
  return problems.length === 0 ? undefined : refuse("INVALID_REQUEST", problems);
}

function broadcastChange(context: CallContext<unknown>, { guildId, id, revision }: AnnouncementChanged): void {
  broadcast(context, announcementChanged, { guildId, id, revision });
}
