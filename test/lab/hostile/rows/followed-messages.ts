import { setTimeout as pause } from "node:timers/promises";
import { MAX_EDITED_MESSAGES } from "../../../../services/dispatch/domain/post/message-state.ts";
import { until } from "../../../harness/until.ts";
import { type Receiver, startWithReceiver } from "../receiver.ts";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3701";
const ANNOUNCEMENTS = 20;
const EVENTS = 200;
const POSTS = ANNOUNCEMENTS * EVENTS;
const YEAR_MS = 365 * 86_400_000;
/** Time until the events start, in which all posts are planned. */
const START_IN_MS = 20_000;
const SENT_WITHIN_MS = 60_000;
/** Time from the start of the attack until the events end. */
const CHANGED_FOR_MS = 40_000;
const ENDED_WITHIN_MS = 120_000;

let receiver: Receiver;
let eventIds: readonly string[];
/** The number of changes of the settings, which each message shows. */
let changes: number;

/** A guild has four times as many sent messages as are followed; each change edits these, and at last all events end at once. */
export const FOLLOWED_MESSAGES: HostileRow = {
  name: "a guild changes what four thousand sent messages show every second, and ends their events",
  attackMs: 60_000,
  async start(env) {
    const started = await startWithReceiver(env);
    ({ receiver } = started);
    changes = 0;
    return started.target;
  },
  async prepare({ ask }) {
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "", on_change: "EDIT", clean_up: 0 };
    for (let channel = 1; channel <= ANNOUNCEMENTS; channel += 1) {
      await ask("/v1/announcement/create", { guild_id: GUILD, channel: String(channel), ...rule });
    }
    const start = Date.now() + START_IN_MS;
    const event = { guild_id: GUILD, calendar_number: 1, epoch_start: start, epoch_end: start + YEAR_MS };
    const create = () => ask<{ readonly id: string }>("/v2/events/create", event);
    const created = await Promise.all(Array.from({ length: EVENTS }, create));
    eventIds = created.map(({ id }) => id);
    const areSent = async () => (await receiver.received()).requests >= POSTS;
    await until(areSent, "every post is sent", START_IN_MS + SENT_WITHIN_MS, 1_000);
  },
  async attack({ createKey, post }, signal) {
    const key = await createKey(GUILD);
    const send = (path: string, body: object) => post(path, key, JSON.stringify({ guild_id: GUILD, ...body }));
    const end = Date.now() + CHANGED_FOR_MS;
    while (!signal.aborted && Date.now() < end) {
      await send("/v2/guild/settings/update", { lang: changes % 2 === 0 ? "SPANISH" : "ENGLISH" });
      changes += 1;
      await pause(1_000);
    }
    for (const event_id of eventIds) {
      await send("/v2/events/update", { calendar_number: 1, event_id, epoch_end: Date.now() });
    }
  },
  async check(stage) {
    const areEnded = async () => (await stepsOf(stage)).filter((step) => ENDED.has(step)).length >= POSTS;
    const late = await until(areEnded, "every message has ended", ENDED_WITHIN_MS, 1_000).then(
      () => [],
      (error: unknown) => [String(error)],
    );
    const { edits, deletions } = await receiver.received();
    const maxEdits = (changes + EVENTS) * MAX_EDITED_MESSAGES;
    return [
      ...late,
      ...(deletions <= MAX_EDITED_MESSAGES ? [] : [`${deletions} messages were deleted`]),
      ...(deletions > 0 && edits > changes ? [] : [`${edits} messages were edited and ${deletions} deleted`]),
      ...(edits <= maxEdits ? [] : [`${edits} messages were edited`]),
    ];
  },
  control: {
    name: "the bound of a thousand followed messages",
    without: ["a guild has at most a thousand followed messages"],
  },
};

/** The steps that end a message. */
const ENDED = new Set(["DELETED", "DROPPED"]);

/** The last step of each sent post. */
async function stepsOf({ ask }: Stage): Promise<string[]> {
  const { posts } = await ask<{ posts: { readonly steps?: readonly { readonly step: string }[] }[] }>(
    "/v1/announcement/history",
    { guild_id: GUILD, amount: -1 },
  );
  return posts.map(({ steps = [] }) => steps.at(-1)?.step ?? "");
}
