/** One post that is due at an instant. */
export interface DuePost {
  /** The name of its event, which is in the message. */
  readonly title: string;
  readonly guildId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** The distribution of a round's posts. */
export interface Spread {
  readonly posts: number;
  /** Time from the first due instant to the last. */
  readonly spreadMs: number;
  /** A channel takes five messages in some five seconds from Discord; every guild here has one channel. */
  readonly guilds: number;
  /** Posts that are due within this time after the first are not counted, because V8 compiles. */
  readonly warmUpMs: number;
  /** Time for creating and planning the posts before the first is due; a multiple of that on an idle machine. */
  readonly leadMs: number;
}

export function duePosts({ posts, spreadMs, guilds, leadMs }: Spread): DuePost[] {
  const firstDueAt = Date.now() + leadMs;
  return Array.from({ length: posts }, (_, at) => ({
    title: `post ${at}`,
    guildId: String(10_000 + (at % guilds)),
    dueAt: firstDueAt + Math.floor((at / posts) * spreadMs),
  }));
}
