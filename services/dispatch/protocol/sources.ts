import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { StandingTruth } from "../domain/judge-post.ts";
import type { GuildTruth } from "../domain/plan-posts.ts";
import { isOpen, type Post } from "../domain/post.ts";
import type { Owners } from "./ports.ts";
import type { PostStore, Source } from "./post-store.ts";

const DAY_MS = 86_400_000;

/** What an open post is made from, to be kept with the plan: its announcement, its occurrence, the guild's settings. */
export async function sourcesOf(owners: Owners, truth: GuildTruth, posts: readonly Post[]): Promise<readonly Source[]> {
  const { guildId, announcements, occurrences, through } = truth;
  const open = posts.filter(isOpen);
  if (open.length === 0) return [];
  const announced = new Set(open.map(({ announcementId }) => announcementId));
  const occurring = new Set(open.map(({ occurrenceId }) => occurrenceId));
  const neededUntil = wholeDays(through);
  return [
    { id: settingsSource(guildId), body: await owners.settings(guildId), neededUntil },
    ...announcements
      .filter(({ id }) => announced.has(id))
      .map((body) => ({ id: announcementSource(guildId, body.id), body, neededUntil })),
    ...occurrences
      .filter(({ occurrenceId }) => occurring.has(occurrenceId))
      .map((body) => ({
        id: occurrenceSource(guildId, body.occurrenceId),
        body,
        neededUntil: wholeDays(body.endsAt),
      })),
  ];
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
  const found = new Map((await store.sources(ids)).map(({ id, body }) => [id, body]));
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
  const announcements = found.map(({ body }) => body as Announcement);
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
