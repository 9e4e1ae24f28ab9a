import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { PostProblem, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type ChannelChecksStore, keyOf, type PostChannel } from "./channel-checks.store.ts";
import { type ChannelFinding, problemOf } from "../domain/post/channel-finding.ts";
import type { Post } from "../domain/post/post.ts";
import { type Life, newLife } from "../protocol/lifecycle.ts";
import type { Clock, Ports } from "../protocol/ports.ts";
import type { PostStore } from "../protocol/post-store.ts";
import { announcementsSeen } from "../protocol/planning/plan-sources.ts";
import type { Sink } from "../sinks/sink.ts";
import { slidingWindow } from "../sinks/sliding-window.ts";

/** Checks the channels of planned posts ahead of time, and tells what stands against posts (D35). */
export interface ChannelChecks {
  start(parts: Pick<Ports, "timers" | "reports">): void;
  stop(): void;
  /** A guild's posts are planned: their channels are checked when there is time for it. Returns at once. */
  planned(posts: readonly Post[]): void;
  /** The guild's posts with what stands against them, as far as it is known. */
  withProblems(guildId: GuildId, posts: readonly UpcomingPost[]): Promise<readonly UpcomingPost[]>;
  /** What stands against posts of the announcement now: the channel is read at once where that is possible. */
  problemNow(announcement: Announcement): Promise<PostProblem | undefined>;
  /** The guild's name, where a sink knows it. */
  guildName(guildId: GuildId): Promise<string | undefined>;
}

/** A sink whose receiver knows its channels. */
interface CheckingSink {
  readonly name: Sink["name"];
  readonly channels: NonNullable<Sink["channels"]>;
}

interface ChannelCheckParts {
  readonly checks: ChannelChecksStore;
  readonly store: Pick<PostStore, "sources">;
  readonly sinks: readonly Sink[];
  readonly clock: Clock;
}

const EVERY_MS = 1_000;
/** In one turn; then the loop rests, also when a receiver answers nothing. */
const MAX_IN_A_TURN = 20;
/** What is planned beyond this between two turns is put in line when its guild is planned again. */
const MAX_WAITING = 20_000;
const CHECK_MS = 5_000;
/** After a check that found nothing out, and for a replica that vanished with one. */
const LEASE_MS = 60_000;
/** Somebody waits for a preview. */
const PREVIEW_MS = 1_500;
/** Checks for previews, beyond which they say what is known: those of planned posts go on beside them. */
const PREVIEWS_PER_SECOND = 2;
/** A preview takes a finding that is no older as it is. */
const FRESH_MS = 5_000;

export function newChannelChecks(parts: ChannelCheckParts): ChannelChecks {
  const { checks, store, clock } = parts;
  const previews = slidingWindow(PREVIEWS_PER_SECOND, 1_000);
  const checking = parts.sinks.flatMap(({ name, channels }) => (channels === undefined ? [] : [{ name, channels }]));
  const waiting = new Map<string, PostChannel>();
  let life: Life | undefined;

  async function putInLine(): Promise<void> {
    if (waiting.size === 0) return;
    const channels = [...waiting.values()];
    waiting.clear();
    await checks.add(channels, clock.now());
  }

  async function checkSome(sink: CheckingSink): Promise<void> {
    for (let count = 0; count < MAX_IN_A_TURN; count += 1) {
      if (life?.stopping !== false) return;
      const channel = await checks.takeNext(sink.name, clock.now(), LEASE_MS);
      if (channel === undefined) return;
      if (await checks.isNeeded(channel)) await checkOne(sink, channel, CHECK_MS);
      else await checks.remove(channel);
    }
  }

  async function checkOne(
    sink: CheckingSink,
    channel: PostChannel,
    timeoutMs: number,
  ): Promise<ChannelFinding | undefined> {
    const finding = await sink.channels.check(channel.guildId, channel.channel, timeoutMs);
    if (finding !== undefined) await checks.save(channel, finding, clock.now());
    return finding;
  }

  async function turn(): Promise<void> {
    await putInLine();
    await Promise.all(checking.map(checkSome));
  }

  function channelsOf(guildId: GuildId, channels: Iterable<string>): PostChannel[] {
    return [...new Set(channels)].flatMap((channel) => checking.map(({ name: sink }) => ({ sink, guildId, channel })));
  }

  async function findingNow(sink: CheckingSink, channel: PostChannel): Promise<ChannelFinding | undefined> {
    const known = (await checks.findings([channel])).get(keyOf(channel));
    const isFresh = known !== undefined && clock.now() - known.checkedAt < FRESH_MS;
    if (isFresh || previews.wait(clock.now()) > 0) return known?.finding;
    previews.add(clock.now());
    return (await checkOne(sink, channel, PREVIEW_MS)) ?? known?.finding;
  }

  return {
    start(ports) {
      if (checking.length === 0) return;
      life = newLife(ports);
      life.repeat("check channels", EVERY_MS, turn);
    },
    stop: () => life?.stop(),

    planned(posts) {
      for (const { sink, guildId, channel } of posts) {
        if (waiting.size >= MAX_WAITING || !checking.some(({ name }) => name === sink)) continue;
        waiting.set(keyOf({ sink, guildId, channel }), { sink, guildId, channel });
      }
    },

    async withProblems(guildId, posts) {
      const channels = channelsOf(
        guildId,
        posts.map(({ channel }) => channel),
      );
      const found = await checks.findings(channels);
      const byChannel = new Map<string, ChannelFinding[]>();
      for (const channel of channels) {
        const finding = found.get(keyOf(channel))?.finding;
        if (finding !== undefined) byChannel.set(channel.channel, [...(byChannel.get(channel.channel) ?? []), finding]);
      }
      const seen = await announcementsSeen(store, guildId, whoseMentionsMatter(posts, byChannel));
      return posts.map((post) => {
        const findings = byChannel.get(post.channel) ?? [];
        const problem = firstOf(findings.map((finding) => problemOf(finding, seen.get(post.announcementId))));
        return problem === undefined ? post : { ...post, problem };
      });
    },

    async problemNow(announcement) {
      const { guildId, channel } = announcement;
      const findings = await Promise.all(
        checking.map((sink) => findingNow(sink, { sink: sink.name, guildId, channel })),
      );
      return firstOf(findings.map((finding) => finding && problemOf(finding, announcement)));
    },

    async guildName(guildId) {
      const names = await Promise.all(checking.map(({ channels }) => channels.guildName(guildId, PREVIEW_MS)));
      return names.find((name) => name !== undefined);
    },
  };
}

/** Announcements whose subscribers decide whether a missing permission is a problem. */
function whoseMentionsMatter(
  posts: readonly UpcomingPost[],
  findings: ReadonlyMap<string, readonly ChannelFinding[]>,
): readonly string[] {
  const matters = ({ channel }: UpcomingPost) =>
    findings.get(channel)?.some((finding) => finding.kind === "own" && finding.missing.includes("MENTION_EVERYONE"));
  return [...new Set(posts.filter(matters).map(({ announcementId }) => announcementId))];
}

function firstOf(problems: readonly (PostProblem | undefined)[]): PostProblem | undefined {
  return problems.find((problem) => problem !== undefined);
}
