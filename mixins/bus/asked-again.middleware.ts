import { setTimeout as pause } from "node:timers/promises";
import type { CallingOptions, Context, Middleware, Service, ServiceBroker } from "moleculer";
import { mayBeRepeated, type Repeatable } from "./retried.middleware.ts";

/** What has no answer by then may be lost: whoever had it may be gone, or a server of the bus with it. */
const UNHEARD_MS = 800;
/** How often a call that is not answered is asked again. Each waits twice as long as the one before. */
const MOST_AGAIN = 2;
/** How long a call is offered to replicas that did not take it. */
const OFFERED_MS = 1_500;
const OFFERED_EVERY_MS = 50;
/** Calls that may be asked again at once, and how many more each call adds: an owner that is slow gets no second load. */
const MOST_SPARE = 200;
const SPARE_A_CALL = 0.1;

/** Errors of Moleculer's own, with which a call was not taken: nobody has begun it. */
const NOT_TAKEN = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);

/** The options of a call, with how long it is offered to replicas that did not take it. */
export interface Offered extends CallingOptions {
  readonly offeredForMs?: number;
}

/**
 * Calls to other processes, whose messages may be lost. What was not taken is offered again, whatever it is. What is not
 * answered is asked again where that is the same as asking once: a read, or a write that its owner does once under its id
 * (`CallMeta`). The first answer counts.
 */
export function askedAgain(unheardMs = UNHEARD_MS): Middleware {
  let spare = MOST_SPARE;
  return {
    name: "asked again",
    remoteAction(next, action: Repeatable) {
      return function asking(this: Service, context) {
        const { broker, options, nodeID } = context;
        const { offeredForMs = OFFERED_MS } = options as Offered;
        const asked: string[] = [];
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const ask = () => {
          const each = asked.length === 0 ? context : anew(context, nodeID);
          asked.push(each.id);
          return next.call(this, each);
        };
        const offer = () => void offered(ask, offeredForMs).then(resolve, reject);
        const askAgain = (times: number) => {
          if (spare >= 1) {
            spare -= 1;
            offer();
          }
          if (times < MOST_AGAIN) unheard = setTimeout(askAgain, unheardMs * 2 ** times, times + 1);
        };
        let unheard = mayBeRepeated(action, context) ? setTimeout(askAgain, unheardMs, 1) : undefined;
        spare = Math.min(MOST_SPARE, spare + SPARE_A_CALL);
        offer();
        return promise.finally(() => {
          clearTimeout(unheard);
          // Moleculer itself never forgets what it got no answer to.
          forgetAll(broker, asked);
        });
      };
    },
  };
}

/**
 * The same call under an id of its own, to `nodeID`: to the node that the first try was meant for, or with null to any
 * replica. Each answer puts its sender's node id into the context. A copy with that id would be a request to that one
 * node, which no user of the bus may make.
 */
export function anew(context: Context, nodeID: string | null): Context {
  return Object.assign(context.copy(), { nodeID });
}

async function offered(ask: () => Promise<unknown>, forMs: number): Promise<unknown> {
  const deadline = performance.now() + forMs;
  for (;;) {
    const askedAt = performance.now();
    try {
      return await ask();
    } catch (error) {
      if (!wasNotTaken(error) || askedAt >= deadline) throw error;
      await pause(OFFERED_EVERY_MS);
    }
  }
}

/** Whether an error says that nobody has begun what was asked for. */
export function wasNotTaken(error: unknown): boolean {
  return NOT_TAKEN.has((Object(error) as { type?: string }).type ?? "");
}

function forgetAll({ transit }: ServiceBroker, ids: readonly string[]): void {
  const requests = transit as unknown as { removePendingRequest(id: string): void };
  for (const id of ids) requests.removePendingRequest(id);
}
