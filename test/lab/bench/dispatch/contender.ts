/** One post that has to be made at an instant. */
export interface DuePost {
  /** The event's name, by which its message is known again at the receiver. */
  readonly title: string;
  readonly guildId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** Something that posts messages at instants; it runs in processes of its own. */
export interface Contender {
  readonly name: string;
  /** The processes that do its work, mongod not among them. */
  readonly pids: readonly number[];
  /** Resolves when all posts are taken in, before the first is due. */
  takeIn(posts: readonly DuePost[]): Promise<void>;
  /** When each post was claimed, by the database's clock; absent where nothing is claimed. */
  claims?(): Promise<readonly ClaimedPost[]>;
  stop(): Promise<void>;
}

export interface ClaimedPost {
  readonly dueAt: number;
  readonly claimedAt: number;
}

/** Where contenders keep their state, and where they post. */
export interface Arena {
  readonly mongoUrl: string;
  readonly chatUrl: string;
  readonly token: string;
}
