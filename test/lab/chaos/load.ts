import { createAnnouncement } from "../../../services/contracts/announcements.contract.ts";
import { createEvent, updateEvent } from "../../../services/contracts/calendar-events.contract.ts";
import type { ActionContract } from "../../../services/contracts/contract.ts";
import { listPostHistory, listUpcomingPosts } from "../../../services/contracts/dispatch.contract.ts";
import type { EventId, GuildId } from "../../../services/contracts/ids.ts";
import { until } from "../../harness/until.ts";
import type { Cluster } from "./cluster.ts";
import type { ExpectedPost, PostOutcome } from "./verdict.ts";

/** The posts of some guilds: each announcement of a guild is posted for each of the guild's events. */
export interface LoadShape {
  readonly guilds: number;
  readonly announcements: number;
  readonly events: number;
  /** Time from the first due instant to the last. */
  readonly spreadMs: number;
}

export interface Load {
  /** The expected posts, after the moves so far. */
  readonly expected: readonly ExpectedPost[];
  readonly events: readonly LoadedEvent[];
  readonly firstDueAt: number;
  readonly lastDueAt: number;
  /** Moves an event. Its posts follow, except perhaps those due within a second after the response. */
  move(event: LoadedEvent, startsAt: number): Promise<void>;
  /** Changes an event and an announcement in a guild that has no posts. */
  changeElsewhere(): Promise<void>;
  /** Resolves when every post is planned. */
  planned(): Promise<void>;
  /** The history of posts of all guilds. */
  history(): Promise<readonly PostOutcome[]>;
}

export interface LoadedEvent {
  readonly guildId: GuildId;
  readonly eventId: EventId;
  readonly title: string;
  /** The instant at which its posts are due. */
  dueAt: number;
}

/** A post follows a change whose response came at least so long before the due instant. */
const FOLLOWED_MS = 1_000;
const EVENT_MS = 3_600_000;
/** Time until posts that are due after the end of every run. */
const ELSEWHERE_MS = 86_400_000;
const CONCURRENT_CALLS = 4;
let guilds = 0;
let channels = 0;

/** Creates events and announcements. The first post is due `leadMs` after the call. */
export async function makeLoad(
  { broker, chat }: Pick<Cluster, "broker" | "chat">,
  shape: LoadShape,
  leadMs: number,
): Promise<Load> {
  const call = <Params, Result>(contract: ActionContract<Params, Result>, params: Params): Promise<Result> =>
    broker.call(contract.name, params as never);
  const ids = Array.from({ length: shape.guilds }, () => String((guilds += 1)) as GuildId);
  const count = shape.guilds * shape.events;
  const firstDueAt = Date.now() + leadMs;
  const events: LoadedEvent[] = [];
  const rooms: { guildId: GuildId; channel: string }[] = [];

  const createAt = (guildId: GuildId, startsAt: number, name: string) =>
    call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt + EVENT_MS, name });
  const announceIn = (guildId: GuildId, channel: string) =>
    call(createAnnouncement, { guildId, channel, type: "UNIVERSAL", hours: 0, minutes: 0, info: "" });
  const newEvent = (guildId: GuildId, at: number) => async () => {
    const startsAt = firstDueAt + Math.floor((at / count) * shape.spreadMs);
    const title = `event ${guildId}/${at}`;
    events.push({ guildId, title, dueAt: startsAt, eventId: (await createAt(guildId, startsAt, title)).eventId });
  };
  const newChannel = (guildId: GuildId) => async () => {
    const channel = String((channels += 1));
    rooms.push({ guildId, channel });
    chat.addChannel(channel, { guild: guildId });
    await announceIn(guildId, channel);
  };
  await runConcurrently(
    Array.from({ length: count }, (_, at) => newEvent(ids[at % ids.length] as GuildId, at)).concat(
      ids.flatMap((guildId) => Array.from({ length: shape.announcements }, () => newChannel(guildId))),
    ),
  );

  const eachGuild = <Result>(contract: ActionContract<{ guildId: GuildId; amount: number }, Result>) =>
    Promise.all(ids.map((guildId) => call(contract, { guildId, amount: -1 })));
  const history = async () => (await eachGuild(listPostHistory)).flat();
  const expected = () =>
    rooms.flatMap(({ guildId, channel }) =>
      events
        .filter((event) => event.guildId === guildId)
        .map(({ eventId, title, dueAt }) => ({ channel, eventId, title, dueAt })),
    );
  return {
    events,
    firstDueAt,
    get expected() {
      return expected();
    },
    get lastDueAt() {
      return Math.max(...events.map(({ dueAt }) => dueAt));
    },
    async move(event, startsAt) {
      const { guildId, eventId, dueAt } = event;
      await call(updateEvent, { guildId, calendarNumber: 1, eventId, startsAt, endsAt: startsAt + EVENT_MS });
      event.dueAt = Date.now() <= dueAt - FOLLOWED_MS ? startsAt : Math.min(dueAt, startsAt);
    },
    async changeElsewhere() {
      const elsewhere = String((guilds += 1)) as GuildId;
      await announceIn(elsewhere, "0");
      await createAt(elsewhere, firstDueAt + ELSEWHERE_MS, "elsewhere");
    },
    planned: () =>
      until(
        async () => {
          // A post that is due already is in the history and no longer in the list of upcoming posts.
          const [ahead, settled] = await Promise.all([eachGuild(listUpcomingPosts), history()]);
          return ahead.flatMap(({ posts }) => posts).length + settled.length >= expected().length;
        },
        "all posts are planned",
        60_000,
        500,
      ),
    history,
  };
}

async function runConcurrently(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...tasks];
  const worker = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task();
  };
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, worker));
}
