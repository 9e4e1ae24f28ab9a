import type { ServiceBroker } from "moleculer";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import type { BusEvent, BusUser } from "./bus-user.ts";
import { receivesEventsOf } from "./bus-user.ts";
import type { BusUsersStore } from "./bus-users.store.ts";

export interface BusSessionsOptions {
  readonly store: Pick<BusUsersStore, "listActiveNames" | "findActive">;
  /** Creates a broker in the user's namespace, which is not started. */
  readonly createBroker: (user: BusUser) => Pick<ServiceBroker, "start" | "stop" | "broadcast">;
  /** Receives all users after the first read, and whenever one was created or revoked. */
  readonly onUsers: (users: readonly BusUser[]) => void;
  readonly onError: (error: unknown) => void;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** Interval at which the users are read from the database; it delays a revocation. */
const REFRESH_INTERVAL_MS = 1_000;
/** Age of the last read after which no user is served. */
const STALE_AFTER_MS = 4_000;

/** Time that the end of a session waits for the start of its broker. */
const START_TIMEOUT_MS = 2_000;

interface Session {
  readonly user: BusUser;
  readonly broker: ReturnType<BusSessionsOptions["createBroker"]>;
  readonly started: Promise<void>;
}

/** The brokers of all live bus users: one is started for a new user, and stopped when its user is revoked. */
export class BusSessions {
  readonly #options: BusSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: BusSessionsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), REFRESH_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#reading;
    await Promise.all([...this.#sessions.keys()].map((name) => this.#end(name)));
  }

  /** Whether the user was not revoked at the last read; false if the last read was more than 4 s ago. */
  isServed(user: BusUser): boolean {
    return this.#isCurrent() && this.#sessions.get(user.name)?.user === user;
  }

  #isCurrent(): boolean {
    return this.#options.clock() - this.#readAt < STALE_AFTER_MS;
  }

  /** Forwards an event to the users of its guild. */
  forwardEvent(event: Pick<BusEvent, "name">, payload: { readonly guildId: string }): void {
    if (!this.#isCurrent()) return;
    for (const { user, broker } of this.#sessions.values()) {
      if (receivesEventsOf(user, payload.guildId)) broadcast(broker, event, payload);
    }
  }

  /** Reads the users, starts the brokers of new ones and stops those of revoked ones. Never rejects. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .catch(this.#options.onError)
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { store, clock, onUsers } = this.#options;
    const startedAt = clock();
    const liveNames = new Set(await store.listActiveNames());
    const newNames = [...liveNames].filter((name) => !this.#sessions.has(name));
    const added = newNames.length === 0 ? [] : await store.findActive(newNames);
    if (this.#isStopped) return;
    const isFirst = this.#readAt === -Infinity;
    this.#readAt = startedAt;
    const revokedNames = [...this.#sessions.keys()].filter((name) => !liveNames.has(name));
    for (const name of revokedNames) void this.#end(name);
    for (const user of added) this.#begin(user);
    if (isFirst || revokedNames.length + added.length > 0) onUsers(this.#users());
  }

  #users(): BusUser[] {
    return [...this.#sessions.values()].map(({ user }) => user);
  }

  #begin(user: BusUser): void {
    const broker = this.#options.createBroker(user);
    const started = broker.start().catch(this.#options.onError);
    this.#sessions.set(user.name, { user, broker, started });
  }

  async #end(name: string): Promise<void> {
    const session = this.#sessions.get(name);
    this.#sessions.delete(name);
    if (session === undefined) return;
    // Without NATS the start of a broker never ends.
    await withTimeout(START_TIMEOUT_MS, "the start of a broker", session.started).catch(() => undefined);
    await session.broker.stop().catch(this.#options.onError);
  }
}
