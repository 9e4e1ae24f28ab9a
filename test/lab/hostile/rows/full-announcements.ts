import { setTimeout as pause } from "node:timers/promises";
import { MAX_ANNOUNCEMENTS } from "../../../../services/contracts/announcements.contract.ts";
import { MAX_SUBSCRIBERS } from "../../../../services/contracts/announcement-fields.ts";
import { until } from "../../../harness/until.ts";
import { type Receiver, startWithReceiver } from "../receiver.ts";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3501";
/** Channels, roles and users have ids of 20 digits, the longest. */
const FIRST_ID = 10n ** 19n;
const HOUR_MS = 3_600_000;
/** Time until the event starts, in which all posts are planned. */
const START_IN_MS = 20_000;
const ATTACK_MS = 60_000;
const ALL_SENT_WITHIN_MS = 120_000;
/** Number of clients that send each kind of request, the next one after each response. */
const CLIENTS_OF_EACH = 4;

/** Number of messages for 2 000 subscribers, with 2 000 characters each (D33). */
const PARTS = 25;

let receiver: Receiver;
let listed: { readonly id: string }[] = [];

/** A guild has the maximum of announcements with the longest texts and the most subscribers; all are due at one instant. */
export const FULL_ANNOUNCEMENTS: HostileRow = {
  name: "a guild has a thousand announcements of two thousand subscribers each, listed and due at once",
  attackMs: ATTACK_MS,
  async start(env) {
    const started = await startWithReceiver(env);
    ({ receiver } = started);
    return started.target;
  },
  async prepare(stage) {
    listed = await Promise.all(Array.from({ length: MAX_ANNOUNCEMENTS }, (_, at) => announce(stage, at)));
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const start = Date.now() + START_IN_MS;
    const event = { guild_id: GUILD, calendar_number: 1, epoch_start: start, epoch_end: start + HOUR_MS };
    await stage.ask("/v2/events/create", event);
    const repeat = async (path: string, body: (turn: number) => object) => {
      for (let turn = 0; !signal.aborted; turn += 1) {
        const { status } = await stage.post(path, key, JSON.stringify({ guild_id: GUILD, ...body(turn) }));
        if (status !== 200) await pause(100);
      }
    };
    const clients = (path: string, body: (turn: number) => object) =>
      Array.from({ length: CLIENTS_OF_EACH }, () => repeat(path, body));
    await Promise.all([
      ...clients("/v1/announcement/list", () => ({ amount: -1 })),
      ...clients("/v1/announcement/list", () => ({ amount: 80 })),
      ...clients("/v1/announcement/upcoming", () => ({ amount: -1 })),
      ...clients("/v1/announcement/preview", (turn) => ({ id: listed[turn % listed.length]!.id })),
    ]);
  },
  async check({ ask }) {
    let posts: { readonly state: string; readonly announcement_id: string }[] = [];
    const isOver = async () => {
      ({ posts } = await ask<{ posts: typeof posts }>("/v1/announcement/history", { guild_id: GUILD, amount: -1 }));
      return posts.length >= MAX_ANNOUNCEMENTS;
    };
    const late = await until(isOver, "every post has its outcome", ALL_SENT_WITHIN_MS, 1_000).then(
      () => [],
      (error: unknown) => [String(error)],
    );
    const { requests, repeated } = await receiver.received();
    const sent = posts.filter(({ state }) => state === "sent").length;
    return [
      ...late,
      ...(sent === MAX_ANNOUNCEMENTS ? [] : [`${sent} of ${MAX_ANNOUNCEMENTS} posts were sent`]),
      ...(requests >= MAX_ANNOUNCEMENTS * PARTS ? [] : [`${requests} messages were received`]),
      ...(repeated === 0 ? [] : [`${repeated} messages were received again`]),
    ];
  },
  control: {
    name: "the limit of 4 MiB",
    without: ["a service and the gateway limit the size of a list (D38)"],
  },
};

function announce({ ask }: Stage, at: number): Promise<{ readonly id: string }> {
  const ids = (kind: number) =>
    Array.from({ length: MAX_SUBSCRIBERS }, (_, nth) => String(FIRST_ID + BigInt(kind * 1_000_000 + nth)));
  return ask("/v1/announcement/create", {
    guild_id: GUILD,
    channel: String(FIRST_ID + BigInt(at)),
    type: "UNIVERSAL",
    hours: 0,
    minutes: 0,
    info: "i".repeat(4_000),
    subscribers_role: ids(1),
    subscribers_user: ids(2),
  });
}
