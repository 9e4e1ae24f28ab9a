import type { ServiceBroker } from "moleculer";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import type { BusEvent, BusUser } from "./bus-user.ts";
import { hears } from "./bus-user.ts";
import type { BusUsersStore } from "./bus-users.store.ts";

export interface BusSessionsParts {
  readonly store: Pick<BusUsersStore, "liveNames" | "findLive">;
  /** A broker in the user's namespace, not started. */
  readonly connect: (user: BusUser) => Pick<ServiceBroker, "start" | "stop" | "broadcast">;
  /** Told of all live users after the first reading, and whenever one was made or revoked. */
  readonly onUsers: (users: readonly BusUser[]) => void;
  readonly onError: (error: unknown) => void;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** How often the users are read: a revocation shows within that time and the time of a reading. */
const READ_EVERY_MS = 1_000;
/** How long an answer of the database is believed. */
const BELIEVED_MS = 4_000;

const STARTED_WITHIN_MS = 2_000;

interface Session {
  readonly user: BusUser;
  readonly broker: ReturnType<BusSessionsParts["connect"]>;
  readonly started: Promise<void>;
}

/** The brokers of all live bus users: one is started for a new user, and stopped when its user is revoked. */
export class BusSessions {
  readonly #parts: BusSessionsParts;
  readonly #sessions = new Map<string, Session>();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: BusSessionsParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), READ_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#reading;
    await Promise.all([...this.#sessions.keys()].map((name) => this.#end(name)));
  }

  /** Whether the user was not revoked, as of a moment ago. False while the database is out of reach. */
  isLive(user: BusUser): boolean {
    return this.#isCurrent() && this.#sessions.get(user.name)?.user === user;
  }

  #isCurrent(): boolean {
    return this.#parts.clock() - this.#readAt < BELIEVED_MS;
  }

  /** Passes an event on to the users that may know of its guild. */
  tell(event: Pick<BusEvent, "name">, payload: { readonly guildId: string }): void {
    if (!this.#isCurrent()) return;
    for (const { user, broker } of this.#sessions.values()) {
      if (hears(user, payload.guildId)) broadcast(broker, event, payload);
    }
  }

  /** Reads the users, and starts and stops what follows from it. Never rejects. */
  look(): Promise<void> {
    this.#reading ??= this.#read()
      .catch(this.#parts.onError)
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { store, clock, onUsers } = this.#parts;
    const askedAt = clock();
    const live = new Set(await store.liveNames());
    const fresh = [...live].filter((name) => !this.#sessions.has(name));
    const added = fresh.length === 0 ? [] : await store.findLive(fresh);
    if (this.#isStopped) return;
    const isFirst = this.#readAt === -Infinity;
    this.#readAt = askedAt;
    const gone = [...this.#sessions.keys()].filter((name) => !live.has(name));
    for (const name of gone) void this.#end(name);
    for (const user of added) this.#begin(user);
    if (isFirst || gone.length + added.length > 0) onUsers(this.#users());
  }

  #users(): BusUser[] {
    return [...this.#sessions.values()].map(({ user }) => user);
  }

  #begin(user: BusUser): void {
    const broker = this.#parts.connect(user);
    const started = broker.start().catch(this.#parts.onError);
    this.#sessions.set(user.name, { user, broker, started });
  }

  async #end(name: string): Promise<void> {
    const session = this.#sessions.get(name);
    this.#sessions.delete(name);
    if (session === undefined) return;
    // Without NATS a broker waits for its first connection for ever.
    await withTimeout(STARTED_WITHIN_MS, "the start of a broker", session.started).catch(() => undefined);
    await session.broker.stop().catch(this.#parts.onError);
  }
}
