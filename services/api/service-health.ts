import { asRefusal } from "../../mixins/actions/contract-action.ts";
import { classify } from "../../mixins/bus/retry-policy.ts";
import { InFlightMap } from "../../mixins/async/in-flight-map.ts";
import type { Health } from "../contracts/health.contract.ts";
import type { OwnerName } from "../contracts/service-names.ts";

/** Interval between health checks of an available service. */
const CHECK_INTERVAL_MS = 500;
/**
 * Silence after which a service without subscribers on the bus is unavailable. A lost message costs 0.5 s and a lost NATS
 * server a second: neither is a reason to refuse requests.
 */
export const UNSUBSCRIBED_SILENCE_MS = 1_800;
/**
 * Silence after which a service with subscribers is unavailable. It may be frozen, or slow, as when all services restart at
 * once: a request that waits is better than a refused one.
 */
export const SUBSCRIBED_SILENCE_MS = 4_000;
/** Interval between two calls of `tick`. */
export const TICK_INTERVAL_MS = 100;

interface ServiceState {
  isAvailable: boolean;
  isDatabaseUp: boolean;
  respondedAt: number;
  /** Whether the last health check found no subscriber. */
  isUnsubscribed: boolean;
  checkedAt: number;
  runningChecks: number;
  /** Functions that reject the calls to the service, by the number of the call. */
  readonly pendingCalls: InFlightMap<number, (error: ServiceUnavailable) => void>;
}

/** A service that became unavailable after a silence, or that responds again after it. */
export interface HealthChange {
  readonly service: OwnerName;
  readonly isAvailable: boolean;
  /** Milliseconds without a response. */
  readonly silentMs: number;
}

/** Rejects after `timeoutMs`, and if no service received the call. */
export type CheckHealth = (service: OwnerName, timeoutMs: number) => Promise<Health>;

/** The error of a call to a service that is unavailable, or became unavailable during the call. */
export class ServiceUnavailable extends Error {
  /** Whether the service may have performed the call. */
  readonly mayHaveBegun: boolean;

  constructor(mayHaveBegun: boolean) {
    super();
    this.mayHaveBegun = mayHaveBegun;
  }
}

/** Whether the error means that no service has begun the call. */
export function wasNotReceived(error: unknown): boolean {
  return error instanceof ServiceUnavailable ? !error.mayHaveBegun : classify(error).isNotReceived;
}

/**
 * Checks the health of each service. Calls to a killed service would wait for their time-out; here they end as soon as the
 * service has been without subscribers for 1.8 s or silent for 4 s, and new calls are refused until it responds again.
 */
export class ServiceHealth {
  readonly #services: ReadonlyMap<OwnerName, ServiceState>;
  readonly #checkHealth: CheckHealth;
  readonly #clock: () => number;
  readonly #onChange: (change: HealthChange) => void;
  #tickedAt: number;
  #calls = 0;

  /** `clock` is monotonic, in milliseconds. */
  constructor(
    services: readonly OwnerName[],
    checkHealth: CheckHealth,
    clock: () => number,
    onChange: (change: HealthChange) => void,
  ) {
    this.#services = new Map(services.map((service) => [service, initialState()]));
    this.#checkHealth = checkHealth;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#tickedAt = clock();
  }

  /** Starts due health checks and marks silent services unavailable; called every `TICK_INTERVAL_MS`. */
  tick(): void {
    const now = this.#clock();
    this.#discountPause(now - this.#tickedAt - TICK_INTERVAL_MS);
    this.#tickedAt = now;
    for (const [service, state] of this.#services) {
      const silentMs = now - state.respondedAt;
      if (state.isAvailable && silentMs > maxSilenceMs(state)) {
        this.#onChange({ service, isAvailable: false, silentMs });
        markUnavailable(state);
      }
      if (isDue(state, now)) void this.#check(service, state, now);
    }
  }

  /**
   * The result of a call to the first service, which calls the others. Rejects with ServiceUnavailable if one of them is
   * unavailable or becomes so during the call. A service that responds to calls, also by refusals, is available even if its
   * health check is late: it is busy.
   */
  async whileAvailable<T>(services: readonly OwnerName[], call: () => Promise<T>): Promise<T> {
    const states = services.map((service) => this.#services.get(service));
    if (states.some((state) => state?.isAvailable !== true)) throw new ServiceUnavailable(false);
    const result = call();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const id = (this.#calls += 1);
    for (const state of states) state?.pendingCalls.set(id, reject);
    result.then(resolve, reject);
    const responded = () => Object.assign(states[0] ?? {}, { respondedAt: this.#clock() });
    try {
      const outcome = await promise;
      responded();
      return outcome;
    } catch (error) {
      // The service itself has sent a refusal; another error may mean that it did not respond.
      if (asRefusal(error) !== undefined) responded();
      throw error;
    } finally {
      for (const state of states) state?.pendingCalls.delete(id);
    }
  }

  /** Names of the unavailable services and databases. */
  missing(): string[] {
    return [...this.#services].flatMap(([service, { isAvailable, isDatabaseUp }]) => {
      if (!isAvailable) return [service];
      return isDatabaseUp ? [] : [`database of ${service}`];
    });
  }

  async #check(service: OwnerName, state: ServiceState, now: number): Promise<void> {
    state.checkedAt = now;
    state.runningChecks += 1;
    try {
      // With a shorter limit a service whose responses are late would count as silent.
      const { database } = await this.#checkHealth(service, SUBSCRIBED_SILENCE_MS);
      const silentMs = this.#clock() - state.respondedAt;
      if (!state.isAvailable && state.respondedAt > 0) this.#onChange({ service, isAvailable: true, silentMs });
      Object.assign(state, {
        isAvailable: true,
        isDatabaseUp: database,
        respondedAt: this.#clock(),
        isUnsubscribed: false,
      });
    } catch (error) {
      // The duration of the silence decides about availability, not the error.
      state.isUnsubscribed = wasNotReceived(error);
    } finally {
      state.runningChecks -= 1;
    }
  }

  /** A pause of this process does not count as silence of the services. */
  #discountPause(pausedMs: number): void {
    if (pausedMs < TICK_INTERVAL_MS) return;
    for (const state of this.#services.values()) state.respondedAt += pausedMs;
  }
}

function initialState(): ServiceState {
  return {
    isAvailable: false,
    isDatabaseUp: false,
    respondedAt: 0,
    isUnsubscribed: false,
    checkedAt: -CHECK_INTERVAL_MS,
    runningChecks: 0,
    pendingCalls: new InFlightMap(),
  };
}

function maxSilenceMs({ isUnsubscribed }: ServiceState): number {
  return isUnsubscribed ? UNSUBSCRIBED_SILENCE_MS : SUBSCRIBED_SILENCE_MS;
}

/** An unavailable service is checked again at the next tick after a failed check. */
function isDue({ isAvailable, checkedAt, runningChecks }: ServiceState, now: number): boolean {
  return now - checkedAt >= CHECK_INTERVAL_MS || (!isAvailable && runningChecks === 0);
}

function markUnavailable(state: ServiceState): void {
  state.isAvailable = false;
  state.pendingCalls.forEach((abort) => abort(new ServiceUnavailable(true)));
}
