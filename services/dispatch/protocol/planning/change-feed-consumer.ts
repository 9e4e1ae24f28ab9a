import { CHANGE_FEED_OVERLAP_MS, type Change, type ChangeMark } from "../../../contracts/change-feed.contract.ts";
import { type EpochMs, type GuildId, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { newChangesSeen } from "./processed-changes.ts";
import type { Heartbeat } from "../heartbeat.ts";
import type { Life } from "../lifecycle.ts";
import { newPagesInOrder } from "./in-flight-pages.ts";
import type { Planner } from "./planner.ts";
import { type Feed, FEEDS, type Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Reads the owners' changes: what makes the plan right when broadcasts are lost. */
export interface Follower {
  start(): void;
  /** All that had changed by then is planned; 0 before the first complete reading. */
  confirmedAt(): EpochMs;
  /** Each feed's progress, for whoever watches it. */
  progress(): readonly FeedProgress[];
}

/** How far a feed's changes are planned. */
export interface FeedProgress {
  readonly feed: Feed;
  /** All that had changed by then is planned: by the stored mark, or by a complete reading. Undefined while neither is known. */
  readonly plannedThrough: EpochMs | undefined;
  /** Changes that this replica has read and not planned yet. A reading stops before more than `MAX_PAGES` pages wait. */
  readonly waiting: number;
}

/** A page is worked through without a pause, and requests wait for it; they have the time between one and the next. */
const PAGE = 250;
/** The pause is so many times as long as the page took. */
const REST = 4;

export function newFollower(
  ports: Ports,
  timing: Timing,
  life: Life,
  planner: Planner,
  heartbeat: Pick<Heartbeat, "firstAt">,
): Follower {
  const readings = FEEDS.map((feed) => newReading(ports, timing, life, feed, planner, heartbeat));
  return {
    start() {
      for (const reading of readings) life.repeat(`follow ${reading.feed}`, timing.feedEveryMs, () => reading.read());
    },
    confirmedAt: () => Math.min(...readings.map((reading) => reading.confirmedAt)),
    progress: () => readings.map((reading) => reading.progress()),
  };
}

interface Reading {
  readonly feed: Feed;
  readonly confirmedAt: EpochMs;
  progress(): FeedProgress;
  read(): Promise<void>;
}

/**
 * One feed, read with an overlap for writes that become visible late: from so long before the mark that was stored last,
 * and then from so long before the last reading, or what changed last would be read again for as long as nothing else does.
 *
 * Reading waits for planning: only so many guilds and pages are under way, however much has changed. The mark follows page
 * by page, as the guilds of the pages are planned.
 */
function newReading(
  { store, owners, clock, reports }: Ports,
  timing: Timing,
  life: Life,
  feed: Feed,
  planner: Planner,
  heartbeat: Pick<Heartbeat, "firstAt">,
): Reading {
  const seen = newChangesSeen();
  const pages = newPagesInOrder();
  /** What is planned up to here, and what is stored of it. */
  let mark: ChangeMark | undefined;
  let saved: ChangeMark | undefined;
  /** By the owner's clock, the last reading that found something. */
  let lastReadAt: EpochMs = 0;
  let confirmedAt = 0;
  let sinceFirst: EpochMs | undefined;
  let waiting = 0;

  async function read(): Promise<void> {
    const beganAt = clock.now();
    mark ??= (await store.marks())[feed];
    const startAt = Math.max(0, Math.max(mark?.at ?? 0, lastReadAt) - CHANGE_FEED_OVERLAP_MS);
    const since = mark === undefined ? (sinceFirst ??= await sinceWithoutMark()) : startAt;
    let position: ChangeMark = { at: startAt, id: "" };
    let readAt: EpochMs | undefined;
    seen.beginReading(startAt);
    for (let more = true; more;) {
      const askedAt = clock.now();
      const result = await owners.changesSince(feed, { mark: position, limit: PAGE });
      const count = result.changes.length;
      waiting += count;
      const guilds = await guildsToPlan(result.changes);
      const tookMs = clock.now() - askedAt;
      readAt ??= result.readAt;
      ({ mark: position, more } = result);
      const touched: Promise<void>[] = [];
      for (const guildId of guilds) {
        await pages.roomForGuild();
        if (life.stopping) return;
        touched.push(pages.guild(plan(guildId, since)));
      }
      seen.remember(result.changes, readAt ?? 0);
      // Where nothing was found the position is where the reading began, which no change stands for.
      const reached = result.changes.length > 0 ? notAfter(readAt, position) : undefined;
      await pages.roomForPage();
      pages.page(Promise.all(touched), () => {
        waiting -= count;
        return confirm(reached);
      });
      if (more) await rest(beganAt, tookMs);
      if (life.stopping) return;
    }
    lastReadAt = Math.max(lastReadAt, readAt ?? 0);
    pages.page(Promise.resolve(), async () => {
      confirmedAt = beganAt;
      await confirm(mark === undefined ? position : undefined);
    });
  }

  async function plan(guildId: GuildId, since: EpochMs): Promise<void> {
    seen.planned(guildId, await planner.touch(guildId, since));
  }

  /**
   * Of the guilds whose changes are news those that announce something, or did lately: the others cost one query a page. A
   * guild that stopped announcing is in the feed of announcements, where guilds that have a plan count, too.
   */
  async function guildsToPlan(changes: readonly Change[]): Promise<readonly GuildId[]> {
    const guilds = [...new Set(changes.filter((change) => seen.isNews(change)).map(({ guildId }) => guildId))];
    if (guilds.length === 0) return [];
    const askedAt = clock.now();
    const planned = feed === "announcements" ? store.plannedGuilds(guilds) : [];
    const wanted = new Set((await Promise.all([owners.announcingGuilds(guilds), planned])).flat());
    for (const guildId of guilds) if (!wanted.has(guildId)) seen.planned(guildId, askedAt);
    return guilds.filter((guildId) => wanted.has(guildId));
  }

  /** Not once the next reading would be due: one that rested on would never come to the end of changes that go on. */
  async function rest(beganAt: EpochMs, tookMs: number): Promise<void> {
    const { feedEveryMs } = timing;
    if (clock.now() - beganAt < feedEveryMs) await life.sleep(Math.min(feedEveryMs, REST * Math.max(1, tookMs)));
  }

  /**
   * Without a mark and without a plan nothing was planned since the first start of all: what was due before that is nobody's
   * omission. With a plan a replica was here, and ended before it could store its mark.
   */
  async function sinceWithoutMark(): Promise<EpochMs> {
    const [planned] = await store.guildsToReplan(LAST_EPOCH_MS, 1);
    if (planned !== undefined) return 0;
    const firstAt = heartbeat.firstAt();
    // The reading is tried again.
    if (firstAt === undefined) throw new Error("the database has not said yet when dispatch first ran");
    return firstAt - CHANGE_FEED_OVERLAP_MS;
  }

  /** The mark is stored once all that came before it is planned: a crash in between reads it again. */
  async function confirm(reached: ChangeMark | undefined): Promise<void> {
    if (reached !== undefined && (mark === undefined || reached.at > mark.at)) mark = reached;
    if (mark === undefined || (saved?.at === mark.at && saved.id === mark.id)) return;
    const saving = (saved = mark);
    await store.saveMark(feed, saving).catch((error: unknown) => {
      saved = undefined;
      reports.trouble("save mark", { feed, error });
    });
  }

  return {
    feed,
    get confirmedAt() {
      return confirmedAt;
    },
    progress: () => ({ feed, plannedThrough: Math.max(confirmedAt, mark?.at ?? 0) || undefined, waiting }),
    read,
  };
}

/** A slow write may surface behind the pages of a long reading, so what follows goes on from where that began. */
function notAfter(readAt: EpochMs | undefined, position: ChangeMark): ChangeMark {
  return readAt !== undefined && position.at > readAt ? { at: readAt, id: "" } : position;
}
