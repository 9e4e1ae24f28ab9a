import { wasNotTaken } from "../../mixins/bus/retry-policy.ts";
import { InFlightMap } from "../../mixins/async/in-flight-map.ts";
import type { Health } from "../contracts/health.contract.ts";
import type { OwnerName } from "../contracts/service-names.ts";

/** How often a service that is there is asked for its health. */
const ASK_EVERY_MS = 500;
/**
 * How long a service may be silent before it counts as gone, where the bus says that nobody is there to be asked. A lost
 * message costs 0.5 s and a lost server of the bus a second: those are no reason to refuse requests.
 */
export const SILENCE_MS = 1_800;
/**
 * How long, where somebody is there and does not answer. It may be frozen, or slow, as when all services are replaced at
 * once: a request that waits is better than one that is refused.
 */
export const FROZEN_MS = 4_000;
/** How often the watch looks at its watch; `tick` is to be called at this pace. */
export const TICK_MS = 100;

interface Watched {
  there: boolean;
  database: boolean;
  answeredAt: number;
  /** Whether the bus had nobody to ask, the last time. */
  isNobody: boolean;
  askedAt: number;
  asking: number;
  /** Ends the calls that are waiting for it. */
  readonly waiting: InFlightMap<number, (gone: ServiceGone) => void>;
}

/** A call to a service that is not there, or went away while it was being asked. */
export class ServiceGone extends Error {
  /** Whether it may have done what it was asked for. */
  readonly wasAsked: boolean;

  constructor(wasAsked: boolean) {
    super();
    this.wasAsked = wasAsked;
  }
}

/** Whether an error says that nobody has begun what was asked for. */
export function wasNotBegun(error: unknown): boolean {
  return error instanceof ServiceGone ? !error.wasAsked : wasNotTaken(error);
}

/**
 * Knows which services are there, by asking each for its health. A killed service's calls would hang until their
 * time-out; here they are given up as soon as it has been gone for 1.8 s or silent for 4 s, and refused until it answers
 * again.
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
   * The outcome of a call to the first of the services, which asks the others; rejects with ServiceGone when one of them
   * is not there or goes away meanwhile. A service that answers calls is there, however long its health takes: it is busy.
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

  /** What is not there now, in words for an operator: services, and their databases. */
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
      // Silence is told by the time that passes, not by the error.
      watched.isNobody = wasNotBegun(error);
    } finally {
      watched.asking -= 1;
    }
  }

  /** A pause of this process is not a silence of theirs. */
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

/** One that is not there is asked again as soon as it has failed to answer: it may be back. */
function isDue({ there, askedAt, asking }: Watched, now: number): boolean {
  return now - askedAt >= ASK_EVERY_MS || (!there && asking === 0);
}

function lose(watched: Watched): void {
  watched.there = false;
  watched.waiting.forEach((giveUp) => giveUp(new ServiceGone(true)));
}
