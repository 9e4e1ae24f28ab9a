import { createHash } from "node:crypto";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { CompleteState } from "../../domain/plan/current-state.ts";
import type { PlanInput } from "../../domain/plan/plan-input.ts";
import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Ports } from "../ports.ts";
import type { PostStore, Source } from "../post-store.ts";

const DAY_MS = 86_400_000;
/** Concurrent reads; an announcement has 44 kB at most. */
const ANNOUNCEMENTS_PER_READ = 20;
/** Announcements that one plan reads; later plans read the others. */
const MAX_ANNOUNCEMENTS = 100;

interface NeededSource {
  readonly id: string;
  readonly version: string;
  readonly neededUntil: EpochMs;
  /** The content, or the id of an announcement that has to be read first. */
  readonly body: object | AnnouncementId;
}

/**
 * The announcements, occurrences and settings that open posts are made from, as far as the stored copies differ.
 * Announcements may be long, so only those with another revision are read.
 *
 * @param settings - Undefined if the guild has no posts.
 */
export async function changedSources(
  { owners, store }: Pick<Ports, "owners" | "store">,
  { guildId, announcements, through, graceMs }: PlanInput,
  settings: GuildSettings | undefined,
  withTexts: readonly Occurrence[],
  posts: readonly Post[],
): Promise<readonly Source[]> {
  const open = posts.filter(isOpen);
  if (open.length === 0 || settings === undefined) return [];
  const announced = new Set(open.map(({ announcementId }) => announcementId));
  const occurring = new Set(open.map(({ occurrenceId }) => occurrenceId));
  // A digest by a former schedule has the same id, and no open post.
  const due = new Set(open.map(({ occurrenceId, startsAt }) => `${occurrenceId} ${startsAt}`));
  const isNeeded = ({ occurrenceId, startsAt, digest }: Occurrence) =>
    digest === undefined ? occurring.has(occurrenceId) : due.has(`${occurrenceId} ${startsAt}`);
  // An open post is due within the plan, and is sent at most one grace time later.
  const neededUntil = wholeDays(through + graceMs);
  const needed: NeededSource[] = [
    versioned(settingsSource(guildId), settings, neededUntil),
    ...withTexts
      .filter(isNeeded)
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
  const known = new Map(
    (
      await store.sourceVersions(
        guildId,
        needed.map(({ id }) => id),
      )
    ).map((each) => [each.id, each]),
  );
  const changed = needed.filter(({ id, version, neededUntil: until }) => {
    const stored = known.get(id);
    return stored === undefined || stored.version !== version || stored.neededUntil < until;
  });
  return withBodies(owners, guildId, changed);
}

async function withBodies(
  owners: Ports["owners"],
  guildId: GuildId,
  changed: readonly NeededSource[],
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  const unread: NeededSource[] = [];
  for (const each of changed) {
    if (typeof each.body === "string") unread.push(each);
    else sources.push({ ...each, text: JSON.stringify(each.body) });
  }
  const wanted = unread.slice(0, MAX_ANNOUNCEMENTS);
  for (let first = 0; first < wanted.length; first += ANNOUNCEMENTS_PER_READ) {
    const some = wanted.slice(first, first + ANNOUNCEMENTS_PER_READ);
    const bodies = await Promise.all(some.map(({ body }) => owners.announcement(guildId, body as AnnouncementId)));
    for (const [at, body] of bodies.entries()) {
      // The deletion of an announcement causes a plan of its own.
      const { id, neededUntil } = some[at] as NeededSource;
      if (body !== null) sources.push({ id, neededUntil, version: String(body.revision), text: JSON.stringify(body) });
    }
  }
  return sources;
}

function versioned(id: string, body: object, neededUntil: EpochMs): NeededSource {
  const version = createHash("sha256").update(JSON.stringify(body)).digest("base64");
  return { id, version, body, neededUntil };
}

/** The stored state of a post; undefined if a part of it is missing. */
export async function lastKnownState(
  store: PostStore,
  { guildId, announcementId, occurrenceId }: Post,
): Promise<CompleteState | undefined> {
  const ids = [
    settingsSource(guildId),
    announcementSource(guildId, announcementId),
    occurrenceSource(guildId, occurrenceId),
  ];
  const found = new Map((await store.sources(guildId, ids)).map(({ id, text }) => [id, JSON.parse(text) as object]));
  const [settings, announcement, occurrence] = ids.map((id) => found.get(id));
  if (settings === undefined || announcement === undefined || occurrence === undefined) return undefined;
  return { settings, announcement, occurrence } as CompleteState;
}

/** The stored announcements with these ids; those without a copy are left out. */
export async function lastKnownAnnouncements(
  store: Pick<PostStore, "sources">,
  guildId: GuildId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Announcement>> {
  if (ids.length === 0) return new Map();
  const found = await store.sources(
    guildId,
    ids.map((id) => announcementSource(guildId, id)),
  );
  const announcements = found.map(({ text }) => JSON.parse(text) as Announcement);
  return new Map(announcements.map((announcement) => [announcement.id, announcement]));
}

/** One to two days after the instant, in whole days, so that the result changes once a day. */
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
