import type { Scenario, ProcessFault } from "./scenario.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Longest delay of a slow message. */
export const MAX_SLOW_MS = 800;

/** A process of a replica, from its start to its crash. */
export interface Incarnation {
  readonly replica: number;
  readonly name: string;
  dead: boolean;
  frozenUntil: number;
}

/** The network between a replica and others, which can lose and delay messages. */
export interface SimulatedNetwork {
  /** A call whose request or response may be lost. It rejects after its timeout, and never settles if the caller has crashed. */
  ask<Result>(who: Incarnation, operation: string, options: AskOptions, apply: () => Promise<Result>): Promise<Result>;
  /** Runs work when the process runs: not while it is frozen, and never after its end. */
  whenAwake(who: Incarnation, wake: () => void): void;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly isDown: () => boolean;
  readonly loss?: number;
  readonly onLost?: () => void;
}

export function newSimulatedNetwork(
  time: VirtualTime,
  scenario: Scenario,
  onFault: (who: Incarnation, fault: ProcessFault) => void,
): SimulatedNetwork {
  const { chance } = time;
  const counts = new Map<string, number>();

  function whenAwake(who: Incarnation, wake: () => void): void {
    if (who.dead) return;
    if (who.frozenUntil > time.now) time.after(who.frozenUntil - time.now, () => whenAwake(who, wake));
    else wake();
  }

  function countMessage(who: Incarnation, operation: string, when: ProcessFault["when"]): void {
    if (scenario.processFaults.length === 0) return;
    const key = `${who.replica} ${operation} ${when}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    for (const fault of scenario.processFaults) {
      const isHere = fault.replica === who.replica && fault.operation === operation && fault.when === when;
      if (isHere && fault.nth === count) onFault(who, fault);
    }
  }

  /** Latency of a message: usually 1 to 3 ms, sometimes much more. */
  function latency(): number {
    return chance.happens(scenario.slowness) ? chance.between(20, MAX_SLOW_MS) : chance.between(1, 3);
  }

  function ask<Result>(
    who: Incarnation,
    operation: string,
    { timeoutMs, isDown, loss = scenario.loss, onLost }: AskOptions,
    apply: () => Promise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const givenUp = () =>
        time.after(timeoutMs, () => whenAwake(who, () => reject(new Error(`${operation}: no response`))));
      const beLost = () => {
        onLost?.();
        givenUp();
      };
      const deliver = (settle: () => void) => {
        countMessage(who, operation, "response");
        whenAwake(who, settle);
      };
      const arrive = () => {
        if (isDown()) return givenUp();
        if (chance.happens(loss)) return beLost();
        apply().then(
          (result) => (chance.happens(loss) ? beLost() : time.after(latency(), () => deliver(() => resolve(result)))),
          (error: unknown) => time.after(latency(), () => deliver(() => reject(error))),
        );
      };
      countMessage(who, operation, "request");
      whenAwake(who, () => time.after(latency(), arrive));
    });
  }

  return { ask, whenAwake };
}
