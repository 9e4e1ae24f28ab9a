import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { MessageBody } from "../../contracts/dispatch.contract.ts";
import type { AnnouncementId, GuildId } from "../../contracts/ids.ts";
import type { ShownDigest } from "../../contracts/owner-drafts.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import { type DraftedPost, MAX_DRAFTED_TEXT, type PostDifference } from "../../contracts/plan-diff.contract.ts";
import type { PlanDifference } from "../domain/diff/compare-plans.ts";
import { renderAnnouncement } from "../domain/message/announcement-message.ts";
import { type MessageInput, showsGuildName } from "../domain/message/message-input.ts";
import { truncate } from "../domain/message/truncate-text.ts";
import type { Post } from "../domain/post/post.ts";
import { commonFields } from "../domain/post/post-views.ts";
import { encodeMessage } from "../sinks/message-body.ts";
import type { DraftedGuild, DraftOwners } from "./drafted-guild.ts";
import { inSlices } from "./in-slices.ts";

/** The dependencies of the rendering. */
export interface RenderPorts {
  readonly owners: Pick<DraftOwners, "announcement">;
  readonly guildName: (guildId: GuildId) => Promise<string | undefined>;
}

type Renderer = (post: Post) => { readonly shown: DraftedPost; readonly messages: string };

/** Renders differences as they are shown. A change whose deadline, channel and message turn out the same is left out. */
export async function renderDifferences(
  ports: RenderPorts,
  guildId: GuildId,
  guild: DraftedGuild,
  differences: readonly PlanDifference[],
): Promise<PostDifference[]> {
  if (differences.length === 0) return [];
  return inSlices(rendered(differences, await renderers(ports, guildId, guild, differences)));
}

/** Rendering a message may take half a millisecond, so the generator yields after each difference. */
function* rendered(
  differences: readonly PlanDifference[],
  { before, after }: { readonly before: Renderer; readonly after: Renderer },
): Generator<void, PostDifference[]> {
  const posts: PostDifference[] = [];
  for (const difference of differences) {
    const { effect, reason } = difference;
    const { announcementId } = "after" in difference ? difference.after : difference.before;
    const entry = { effect, announcementId, reason };
    if (difference.effect === "APPEARS") posts.push({ ...entry, ...after(difference.after).shown });
    else if (difference.effect === "VANISHES") posts.push({ ...entry, ...before(difference.before).shown });
    else {
      const [one, other] = [before(difference.before), after(difference.after)];
      const isSame = effect === "CHANGES" && differInMessageOnly(difference) && one.messages === other.messages;
      if (!isSame) posts.push({ ...entry, ...other.shown, before: one.shown });
    }
    yield;
  }
  return posts;
}

/** Whether the two posts can differ only in their messages. */
function differInMessageOnly({ before, after }: { readonly before: Post; readonly after: Post }): boolean {
  return before.dueAt === after.dueAt && before.deadline === after.deadline && before.channel === after.channel;
}

async function renderers(
  { owners, guildName }: RenderPorts,
  guildId: GuildId,
  { settings, announcements, shown }: DraftedGuild,
  differences: readonly PlanDifference[],
): Promise<{ before: Renderer; after: Renderer }> {
  const posts = {
    before: differences.flatMap((each) => ("before" in each ? [each.before] : [])),
    after: differences.flatMap((each) => ("after" in each ? [each.after] : [])),
  };
  const idsOf = (of: readonly Post[]) => [...new Set(of.map(({ occurrenceId }) => occurrenceId))];
  const changed = new Map(announcements.changed.map(({ id, announcement }) => [id, announcement]));
  const stored = [...posts.before, ...posts.after.filter(({ announcementId }) => !changed.has(announcementId))];
  const found = await Promise.all(
    [...new Set(stored.map(({ announcementId }) => announcementId))].map((id) => owners.announcement(guildId, id)),
  );
  const present = found.filter((each) => each !== null);
  const before = new Map(present.map((each) => [each.id, each]));
  const after = new Map([
    ...before,
    ...[...changed].flatMap(([id, each]) => (each === undefined ? [] : [[id, each] as const])),
  ]);
  const digests = { before: shownDigests(before), after: shownDigests(after) };
  const occurrences = await shown(idsOf(posts.before), idsOf(posts.after), { digests });
  const isNameShown =
    [...before.values()].some((each) => showsGuildName(each, settings.before)) ||
    [...after.values()].some((each) => showsGuildName(each, settings.after));
  const input = { guildName: isNameShown ? await guildName(guildId) : undefined };
  return {
    before: renderer(before, occurrences.before, { ...input, settings: settings.before }),
    after: renderer(after, occurrences.after, { ...input, settings: settings.after }),
  };
}

/** The digests among some announcements, by which their posts are shown (D65). */
export function shownDigests(announcements: ReadonlyMap<string, Announcement>): ShownDigest[] {
  return [...announcements.values()].flatMap(({ id: announcementId, digest }) => {
    if (digest === undefined) return [];
    const { emptyText: _, ...rule } = digest;
    return { announcementId, digest: rule };
  });
}

function renderer(
  announcements: ReadonlyMap<AnnouncementId, Announcement>,
  occurrences: readonly Occurrence[],
  given: Pick<MessageInput, "settings" | "guildName">,
): Renderer {
  const byId = new Map(occurrences.map((each) => [each.occurrenceId, each]));
  return (post) => {
    const { announcementId, occurrenceId, offset } = post;
    const [announcement, occurrence] = [announcements.get(announcementId), byId.get(occurrenceId)];
    // A client may have deleted either of them since the plans were compared.
    const isKnown = announcement !== undefined && occurrence !== undefined;
    const messages = isKnown
      ? renderAnnouncement({ announcement, occurrence, offset, ...given }).map(encodeMessage)
      : [];
    const text = truncate(messages.map(plainText).join("\n"), MAX_DRAFTED_TEXT);
    const { announcementId: _, ...shown } = commonFields(post);
    return { shown: { ...shown, text }, messages: JSON.stringify(messages) };
  };
}

/** The texts of a message without their layout. */
function plainText({ content, embeds = [] }: MessageBody): string {
  const texts = embeds.flatMap(({ title, description, fields = [] }) => [
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
  ]);
  return [content, ...texts].filter((text) => text !== undefined).join("\n");
}
