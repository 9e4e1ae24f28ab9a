import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { PostProblem, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type ChannelChecksStore, channelKey, type PostChannel } from "./channel-checks.store.ts";
import { type ChannelFinding, problemOf } from "../domain/post/channel-finding.ts";
import type { Post } from "../domain/post/post.ts";
import { type Lifecycle, newLifecycle } from "../protocol/lifecycle.ts";
import type { Clock, Ports } from "../protocol/ports.ts";
import type { PostStore } from "../protocol/post-store.ts";
import { lastKnownAnnouncements } from "../protocol/planning/plan-sources.ts";
import type { Sink } from "../sinks/sink.ts";
import { slidingWindow } from "../sinks/sliding-window.ts";

/** Checks the channels of planned posts ahead of time, and returns the problems of posts (D35). */
export interface ChannelChecks {
  start(parts: Pick<Ports, "timers" | "reports">): void;
  stop(): void;
  /** Enqueues the channels of planned posts. Returns at once. */
  onPlanned(posts: readonly Post[]): void;
  /** Adds the known problems to the guild's posts. */
  withProblems(guildId: GuildId, posts: readonly UpcomingPost[]): Promise<readonly UpcomingPost[]>;
  /** The problem of the announcement's posts now; checks the channel at once if possible. */
  currentProblem(announcement: Announcement): Promise<PostProblem | undefined>;
  /** The guild's name; undefined if no sink knows it. */
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

const INTERVAL_MS = 1_000;
const MAX_CHECKS_PER_INTERVAL = 20;
/** Further channels are added when their guild is planned again. */
const MAX_WAITING = 20_000;
const CHECK_TIMEOUT_MS = 5_000;
/** Until a check without a finding is repeated, and until another replica takes over a check. */
const LEASE_MS = 60_000;
/** A user waits for a preview. */
const PREVIEW_TIMEOUT_MS = 1_500;
/** Further previews use stored findings, so that planned posts have most of the checks. */
const PREVIEW_CHECKS_PER_SECOND = 2;
/** A preview uses a stored finding of at most this age. */
const MAX_FINDING_AGE_MS = 5_000;

export function newChannelChecks(parts: ChannelCheckParts): ChannelChecks {
  const { checks, store, clock } = parts;
  const previewChecks = slidingWindow(() => PREVIEW_CHECKS_PER_SECOND, 1_000);
  const checking = parts.sinks.flatMap(({ name, channels }) => (channels === undefined ? [] : [{ name, channels }]));
  const waiting = new Map<string, PostChannel>();
  let lifecycle: Lifecycle | undefined;

  async function enqueueWaiting(): Promise<void> {
    if (waiting.size === 0) return;
    const channels = [...waiting.values()];
    waiting.clear();
    await checks.enqueue(channels, clock.now());
  }

  async function checkDue(sink: CheckingSink): Promise<void> {
    for (let count = 0; count < MAX_CHECKS_PER_INTERVAL; count += 1) {
      if (lifecycle?.isStopping !== false) return;
      const channel = await checks.leaseNext(sink.name, clock.now(), LEASE_MS);
      if (channel === undefined) return;
      if (await checks.isNeeded(channel)) await checkOne(sink, channel, CHECK_TIMEOUT_MS);
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

  async function checkAll(): Promise<void> {
    await enqueueWaiting();
    await Promise.all(checking.map(checkDue));
  }

  function channelsOf(guildId: GuildId, channels: Iterable<string>): PostChannel[] {
    return [...new Set(channels)].flatMap((channel) => checking.map(({ name: sink }) => ({ sink, guildId, channel })));
  }

  async function currentFinding(sink: CheckingSink, channel: PostChannel): Promise<ChannelFinding | undefined> {
    const known = (await checks.findings([channel])).get(channelKey(channel));
    const isFresh = known !== undefined && clock.now() - known.checkedAt < MAX_FINDING_AGE_MS;
    if (isFresh || previewChecks.waitMs(clock.now()) > 0) return known?.finding;
    previewChecks.add(clock.now());
    return (await checkOne(sink, channel, PREVIEW_TIMEOUT_MS)) ?? known?.finding;
  }

  return {
    start(ports) {
      if (checking.length === 0) return;
      lifecycle = newLifecycle(ports);
      lifecycle.repeat("check channels", INTERVAL_MS, checkAll);
    },
    stop: () => lifecycle?.stop(),

    onPlanned(posts) {
      for (const { sink, guildId, channel } of posts) {
        if (waiting.size >= MAX_WAITING || !checking.some(({ name }) => name === sink)) continue;
        waiting.set(channelKey({ sink, guildId, channel }), { sink, guildId, channel });
      }
    },

    async withProblems(guildId, posts) {
      const channels = channelsOf(
        guildId,
        posts.map(({ channel }) => channel),
      );
      const stored = await checks.findings(channels);
      const byChannel = new Map<string, ChannelFinding[]>();
      for (const channel of channels) {
        const finding = stored.get(channelKey(channel))?.finding;
        if (finding !== undefined) byChannel.set(channel.channel, [...(byChannel.get(channel.channel) ?? []), finding]);
      }
      const announcements = await lastKnownAnnouncements(store, guildId, announcementsToRead(posts, byChannel));
      return posts.map((post) => {
        const findings = byChannel.get(post.channel) ?? [];
        const problem = firstProblem(
          findings.map((finding) => problemOf(finding, announcements.get(post.announcementId))),
        );
        return problem === undefined ? post : { ...post, problem };
      });
    },

    async currentProblem(announcement) {
      const { guildId, channel } = announcement;
      const findings = await Promise.all(
        checking.map((sink) => currentFinding(sink, { sink: sink.name, guildId, channel })),
      );
      return firstProblem(findings.map((finding) => finding && problemOf(finding, announcement)));
    },

    async guildName(guildId) {
      const names = await Promise.all(checking.map(({ channels }) => channels.guildName(guildId, PREVIEW_TIMEOUT_MS)));
      return names.find((name) => name !== undefined);
    },
  };
}

/** The announcements whose subscribers decide whether a missing permission is a problem. */
function announcementsToRead(
  posts: readonly UpcomingPost[],
  findings: ReadonlyMap<string, readonly ChannelFinding[]>,
): readonly string[] {
  const needsSubscribers = ({ channel }: UpcomingPost) =>
    findings.get(channel)?.some((finding) => finding.kind === "own" && finding.missing.includes("MENTION_EVERYONE"));
  return [...new Set(posts.filter(needsSubscribers).map(({ announcementId }) => announcementId))];
}

function firstProblem(problems: readonly (PostProblem | undefined)[]): PostProblem | undefined {
  return problems.find((problem) => problem !== undefined);
}
