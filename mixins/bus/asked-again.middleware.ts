import { setTimeout as pause } from "node:timers/promises";
import type { ActionSchema, CallingOptions, Context, Middleware, Service, ServiceBroker } from "moleculer";
import { nodesServing } from "./replicas.ts";
import { steadyTransporterOf } from "./steady-nats-transporter.ts";

/** An action that says of itself whether it changes anything. */
export interface ReadOrWrite extends ActionSchema {
  readonly isRead?: boolean;
}

/** What has no answer by then may be lost: whoever had it may be gone, or a server of the bus with it. */
const UNHEARD_MS = 800;
/** How long a call is offered to replicas that did not take it. */
const OFFERED_MS = 1_500;
const OFFERED_EVERY_MS = 50;
/** Reads that may be asked again at once, and how many more each read adds: an owner that is slow gets no second load. */
const MOST_SPARE = 50;
const SPARE_A_READ = 0.1;

/** Errors of Moleculer's own, with which a call was not taken: nobody has begun it. */
const NOT_TAKEN = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);

/** The options of a call, with how long it is offered to replicas that did not take it. */
export interface Offered extends CallingOptions {
  readonly offeredForMs?: number;
}

interface Asked {
  readonly id: string;
  readonly at: number;
  /** Who may have taken it. */
  readonly replicas: readonly string[];
}

/** For so long after a call its owner's replicas still know whether they have it. */
const KNOWN_MS = 6_000;

/**
 * Calls to other processes, whose messages may be lost. What was not taken is offered again, whatever it is; a read that
 * is not answered is asked again. No other call is, since it may have been done: it is asked after, and offered again when
 * every replica that may have it says that it never came (mixins/bus/lost-calls.ts).
 */
export function askedAgain(unheardMs = UNHEARD_MS): Middleware {
  let spare = MOST_SPARE;
  return {
    name: "asked again",
    remoteAction(next, { isRead, name = "" }: ReadOrWrite) {
      return function asking(this: Service, context) {
        const { broker, options, nodeID } = context;
        const { offeredForMs = OFFERED_MS, timeout } = options as Offered;
        const beganAt = performance.now();
        const asked: Asked[] = [];
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const ask = () => {
          const each = asked.length === 0 ? context : anew(context, nodeID);
          asked.push({
            id: each.id,
            at: performance.now(),
            replicas: isRead === true ? [] : nodesServing(broker, name),
          });
          return next.call(this, each);
        };
        const offer = () => void offered(ask, offeredForMs).then(resolve, reject);
        // Moleculer itself never forgets what it got no answer to.
        const forget = () => {
          clearInterval(looking);
          forgetAll(broker, asked);
        };
        let isAskedAgain = false;
        // One timer for all that becomes of a call that is not answered: nearly every call is.
        const looking = setInterval(() => {
          if (performance.now() - beganAt >= (timeout || Infinity)) return forget();
          if (isRead !== true) return askAfter(broker, name, asked);
          if (isAskedAgain) return;
          isAskedAgain = true;
          if (spare < 1) return;
          spare -= 1;
          offer();
        }, unheardMs);
        if (isRead === true) spare = Math.min(MOST_SPARE, spare + SPARE_A_READ);
        offer();
        return promise.finally(forget);
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

/** Asks after the last of the calls that were made. */
function askAfter(broker: ServiceBroker, action: string, asked: readonly Asked[]): void {
  const [service = ""] = action.split(".", 1);
  const call = asked.at(-1);
  if (call === undefined || performance.now() - call.at > KNOWN_MS) return;
  const replicas = [...call.replicas, ...nodesServing(broker, action)];
  steadyTransporterOf(broker)?.askAfter(call.id, service, replicas);
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

function forgetAll(broker: ServiceBroker, asked: readonly Asked[]): void {
  const requests = broker.transit as unknown as { removePendingRequest(id: string): void };
  for (const { id } of asked) {
    requests.removePendingRequest(id);
    steadyTransporterOf(broker)?.forgetCall(id);
  }
}
