import { wasNotReceived } from "../../mixins/bus/retry-policy.ts";
import { InFlightMap } from "../../mixins/async/in-flight-map.ts";
import type { Health } from "../contracts/health.contract.ts";
import type { OwnerName } from "../contracts/service-names.ts";

/** Interval between health checks of an available service. */
const ASK_EVERY_MS = 500;
/**
 * Silence after which a service without subscribers on the bus counts as gone. A lost message takes 0.5 s and a lost NATS
 * server a second: neither is a reason to refuse requests.
 */
export const SILENCE_MS = 1_800;
/**
 * Silence after which a service with subscribers counts as gone. It may be frozen, or slow, as when all services restart at
 * once: a request that waits is better than a refused one.
 */
export const FROZEN_MS = 4_000;
/** Interval between two calls of `tick`, in milliseconds. */
export const TICK_MS = 100;

interface Watched {
  there: boolean;
  database: boolean;
  answeredAt: number;
  /** Whether the last health check had no subscriber. */
  isNobody: boolean;
  askedAt: number;
  asking: number;
  /** Aborts the calls that wait for the service. */
  readonly waiting: InFlightMap<number, (gone: ServiceGone) => void>;
}

/** A call to a service that is gone, or disappeared during the call. */
export class ServiceGone extends Error {
  /** Whether the service may have performed the call. */
  readonly wasAsked: boolean;

  constructor(wasAsked: boolean) {
    super();
    this.wasAsked = wasAsked;
  }
}

/** Whether the error means that no service has begun the call. */
export function wasNotBegun(error: unknown): boolean {
  return error instanceof ServiceGone ? !error.wasAsked : wasNotReceived(error);
}

/**
 * Checks the health of each service. Calls to a killed service would wait for their timeout; here they end as soon as the
 * service has been gone for 1.8 s or silent for 4 s, and new calls are refused until it answers again.
 */
export class ServiceWatch {
  readonly #watched: ReadonlyMap<OwnerName, Watched>;
  readonly #ask: (service: OwnerName) => Promise<Health>;
  readonly #clock: () => number;
  #tickedAt: number;
  #calls = 0;

  /** `clock` is monotonic, in milliseconds. */
  constructor(services: readonly OwnerName[], ask: (service: OwnerName) => Promise<Health>, clock: () => number) {
    this.#watched = new Map(services.map((service) => [service, neverSeen()]));
    this.#ask = ask;
    this.#clock = clock;
    this.#tickedAt = clock();
  }

  tick(): void {
    const now = this.#clock();
    this.#forgive(now - this.#tickedAt - TICK_MS);
    this.#tickedAt = now;
    for (const [service, watched] of this.#watched) {
      if (watched.there && now - watched.answeredAt > patience(watched)) lose(watched);
      if (isDue(watched, now)) void this.#askFor(service, watched, now);
    }
  }

  /**
   * The result of a call to the first service, which calls the others. Rejects with ServiceGone if one of them is gone or
   * disappears during the call. A service that answers calls is available even if its health check is late: it is busy.
   */
  async whileThere<T>(services: readonly OwnerName[], call: () => Promise<T>): Promise<T> {
    const needed = services.map((service) => this.#watched.get(service));
    if (needed.some((watched) => watched?.there !== true)) throw new ServiceGone(false);
    const answer = call();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const id = (this.#calls += 1);
    for (const watched of needed) watched?.waiting.set(id, reject);
    answer.then(resolve, reject);
    try {
      const outcome = await promise;
      if (needed[0] !== undefined) needed[0].answeredAt = this.#clock();
      return outcome;
    } finally {
      for (const watched of needed) watched?.waiting.delete(id);
    }
  }

  /** The missing services and databases, as text for an operator. */
  missing(): string[] {
    return [...this.#watched].flatMap(([service, { there, database }]) => {
      if (!there) return [service];
      return database ? [] : [`database of ${service}`];
    });
  }

  async #askFor(service: OwnerName, watched: Watched, now: number): Promise<void> {
    watched.askedAt = now;
    watched.asking += 1;
    try {
      const { database } = await this.#ask(service);
      Object.assign(watched, { there: true, database, answeredAt: this.#clock(), isNobody: false });
    } catch (error) {
      // The duration of the silence decides, not the error.
      watched.isNobody = wasNotBegun(error);
    } finally {
      watched.asking -= 1;
    }
  }

  /** A pause of this process does not count as silence of the services. */
  #forgive(pausedMs: number): void {
    if (pausedMs < TICK_MS) return;
    for (const watched of this.#watched.values()) watched.answeredAt += pausedMs;
  }
}

function neverSeen(): Watched {
  const never = { answeredAt: 0, isNobody: false, askedAt: -ASK_EVERY_MS };
  return { there: false, database: false, ...never, asking: 0, waiting: new InFlightMap() };
}

function patience({ isNobody }: Watched): number {
  return isNobody ? SILENCE_MS : FROZEN_MS;
}

/** A missing service is checked again immediately after a failed check, since it may be back. */
function isDue({ there, askedAt, asking }: Watched, now: number): boolean {
  return now - askedAt >= ASK_EVERY_MS || (!there && asking === 0);
}

function lose(watched: Watched): void {
  watched.there = false;
  watched.waiting.forEach((giveUp) => giveUp(new ServiceGone(true)));
}
