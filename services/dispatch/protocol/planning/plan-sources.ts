import { createHash } from "node:crypto";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { StandingTruth } from "../../domain/plan/current-state.ts";
import type { GuildTruth } from "../../domain/plan/plan-input.ts";
import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Ports } from "../ports.ts";
import type { PostStore, Source } from "../post-store.ts";

const DAY_MS = 86_400_000;
/** Announcements that are read at a time; 44 kB each at most. */
const ANNOUNCEMENTS_AT_ONCE = 20;
/** Of one plan no more are read anew than this: the rest is kept by the next plans. */
const MAX_ANNOUNCEMENTS = 100;

/** A source that a plan needs, before it is known whether it is stored as it is. */
interface Needed {
  readonly id: string;
  readonly version: string;
  readonly neededUntil: EpochMs;
  readonly body: object | AnnouncementId;
}

/**
 * What open posts are made from and is not stored as it is now: their announcements, their occurrences, the guild's
 * settings. Announcements may be long, so only those are read that have another revision.
 */
export async function sourcesOf(
  { owners, store }: Pick<Ports, "owners" | "store">,
  { guildId, announcements, through, graceMs }: GuildTruth,
  withTexts: readonly Occurrence[],
  posts: readonly Post[],
): Promise<readonly Source[]> {
  const open = posts.filter(isOpen);
  if (open.length === 0) return [];
  const announced = new Set(open.map(({ announcementId }) => announcementId));
  const occurring = new Set(open.map(({ occurrenceId }) => occurrenceId));
  // What is open is due before the plan ends, and over a grace time later, however long its event goes on.
  const neededUntil = wholeDays(through + graceMs);
  const needed: Needed[] = [
    versioned(settingsSource(guildId), await owners.settings(guildId), neededUntil),
    ...withTexts
      .filter(({ occurrenceId }) => occurring.has(occurrenceId))
      .map((body) => versioned(occurrenceSource(guildId, body.occurrenceId), body, neededUntil)),
    ...announcements
      .filter(({ id }) => announced.has(id))
      .map(({ id, revision }) => ({
        id: announcementSource(guildId, id),
        version: String(revision),
        body: id,
        neededUntil,
      })),
  ];
  const known = new Map((await store.sourceVersions(needed.map(({ id }) => id))).map((each) => [each.id, each]));
  const changed = needed.filter(({ id, version, neededUntil: until }) => {
    const stored = known.get(id);
    return stored === undefined || stored.version !== version || stored.neededUntil < until;
  });
  return withBodies(owners, guildId, changed);
}

async function withBodies(
  owners: Ports["owners"],
  guildId: GuildId,
  changed: readonly Needed[],
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  const ids: Needed[] = [];
  for (const each of changed) {
    if (typeof each.body === "string") ids.push(each);
    else sources.push({ ...each, text: JSON.stringify(each.body) });
  }
  const wanted = ids.slice(0, MAX_ANNOUNCEMENTS);
  for (let first = 0; first < wanted.length; first += ANNOUNCEMENTS_AT_ONCE) {
    const some = wanted.slice(first, first + ANNOUNCEMENTS_AT_ONCE);
    const bodies = await Promise.all(some.map(({ body }) => owners.announcement(guildId, body as AnnouncementId)));
    for (const [at, body] of bodies.entries()) {
      // One that is gone meanwhile has its own change to come.
      const { id, neededUntil } = some[at] as Needed;
      if (body !== null) sources.push({ id, neededUntil, version: String(body.revision), text: JSON.stringify(body) });
    }
  }
  return sources;
}

function versioned(id: string, body: object, neededUntil: EpochMs): Needed {
  const version = createHash("sha256").update(JSON.stringify(body)).digest("base64");
  return { id, version, body, neededUntil };
}

/** What was last seen of all that a post is made from; undefined when some of it is missing. */
export async function recall(
  store: PostStore,
  { guildId, announcementId, occurrenceId }: Post,
): Promise<StandingTruth | undefined> {
  const ids = [
    settingsSource(guildId),
    announcementSource(guildId, announcementId),
    occurrenceSource(guildId, occurrenceId),
  ];
  const found = new Map((await store.sources(ids)).map(({ id, text }) => [id, JSON.parse(text) as object]));
  const [settings, announcement, occurrence] = ids.map((id) => found.get(id));
  if (settings === undefined || announcement === undefined || occurrence === undefined) return undefined;
  return { settings, announcement, occurrence } as StandingTruth;
}

/** The guild's announcements with these ids, as they were last seen; those that are not known are left out. */
export async function announcementsSeen(
  store: Pick<PostStore, "sources">,
  guildId: GuildId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Announcement>> {
  if (ids.length === 0) return new Map();
  const found = await store.sources(ids.map((id) => announcementSource(guildId, id)));
  const announcements = found.map(({ text }) => JSON.parse(text) as Announcement);
  return new Map(announcements.map((announcement) => [announcement.id, announcement]));
}

/** A day or two after the instant, in whole days, so that it moves once a day. */
function wholeDays(instant: EpochMs): EpochMs {
  return (Math.ceil(instant / DAY_MS) + 1) * DAY_MS;
}

function settingsSource(guildId: GuildId): string {
  return `${guildId}/settings`;
}

function announcementSource(guildId: GuildId, id: string): string {
  return `${guildId}/announcement/${id}`;
}

function occurrenceSource(guildId: GuildId, id: string): string {
  return `${guildId}/occurrence/${id}`;
}
