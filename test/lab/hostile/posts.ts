import { until } from "../../harness/until.ts";
import type { Post } from "./post-client.ts";

interface HistoryEntry {
  readonly state: string;
  readonly epoch_start: number;
  readonly late_ms?: number;
}

/** Time for creating the events and planning their posts. */
const PLANNING_MS = 6_000;
const GUILD = "375357265198317579";

/** Measures the lateness of posts that are due one by one in their own guild. */
export class DuePosts {
  readonly #post: Post;
  readonly #key: string;
  readonly #dueAt: number[] = [];

  constructor(post: Post, key: string) {
    this.#post = post;
    this.#key = key;
  }

  async announce(): Promise<void> {
    await this.#ask("/v1/announcement/create", { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" });
  }

  /** Plans posts that are spread evenly over `overMs`; resolves at least `leadMs` before the first due instant, with that instant. */
  async plan(count: number, overMs: number, leadMs = 0): Promise<number> {
    const from = Date.now() + PLANNING_MS + leadMs;
    const make = (at: number) => {
      const start = Math.round(from + (overMs * at) / count);
      this.#dueAt.push(start);
      const event = { calendar_number: 1, epoch_start: start, epoch_end: start + 3_600_000 };
      return this.#ask("/v2/events/create", event);
    };
    await Promise.all(Array.from({ length: count }, (_, at) => make(at)));
    if (Date.now() > from - leadMs) throw new Error("the posts were created too late to be punctual");
    return from;
  }

  /** The lateness of each post of a plan, in milliseconds; rejects if one is not sent. */
  async lateness(from: number, overMs: number): Promise<number[]> {
    const to = from + overMs;
    const due = this.#dueAt.filter((at) => at >= from && at < to).length;
    let sent: HistoryEntry[] = [];
    await until(async () => {
      const { posts } = await this.#ask<{ posts: HistoryEntry[] }>("/v1/announcement/history", { amount: -1 });
      sent = posts.filter((each) => each.state === "sent" && each.epoch_start >= from && each.epoch_start < to);
      return sent.length >= due;
    }, `${due} posts are sent`);
    return sent.map(({ late_ms: late = 0 }) => late).toSorted((one, other) => one - other);
  }

  async #ask<Body>(path: string, body: object): Promise<Body> {
    const { status, text } = await this.#post(path, this.#key, JSON.stringify({ guild_id: GUILD, ...body }));
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Body;
  }
}
