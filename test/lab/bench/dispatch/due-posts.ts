/** One post that is due at an instant. */
export interface DuePost {
  /** The name of its event, which its message shows. */
  readonly title: string;
  readonly guildId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** How the posts of a round are spread. */
export interface Spread {
  readonly posts: number;
  /** From the first due instant to the last. */
  readonly spreadMs: number;
  /** A channel takes five messages in some five seconds from Discord; every guild here has one channel. */
  readonly guilds: number;
  /** Posts that are due so soon after the first are not counted: code that runs for the first time is slow. */
  readonly warmUpMs: number;
  /** The time for writing and planning the posts, before the first is due; a multiple of what a quiet machine takes. */
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
