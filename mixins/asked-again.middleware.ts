import { setTimeout as pause } from "node:timers/promises";
import type { ActionSchema, Context, Middleware, Service, ServiceBroker } from "moleculer";

/** An action that says of itself whether it changes anything. */
export interface ReadOrWrite extends ActionSchema {
  readonly isRead?: boolean;
}

/** A read that has no answer by then is asked once more: whoever had it may be gone, or a server of the bus with it. */
const UNHEARD_MS = 1_000;
/** How long a call is offered to replicas that did not take it. */
const OFFERED_MS = 1_500;
const OFFERED_EVERY_MS = 50;
/** Reads that may be asked again at once, and how many more each read adds: an owner that is slow gets no second load. */
const MOST_SPARE = 50;
const SPARE_A_READ = 0.1;

/** Errors of Moleculer's own, with which a call was not taken: nobody has begun it. */
const NOT_TAKEN = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);

/**
 * Calls to other processes, whose messages may be lost. What was not taken is offered again, whatever it is; what
 * was taken and not answered is asked again when it is a read, and no other call is: it may have been done.
 */
export function askedAgain(unheardMs = UNHEARD_MS): Middleware {
  let spare = MOST_SPARE;
  return {
    name: "asked again",
    remoteAction(next, { isRead }: ReadOrWrite) {
      return function asking(this: Service, context) {
        const { broker, options } = context;
        const asked: Context[] = [];
        const ask = () => {
          const each = asked.length === 0 ? context : anew(context);
          asked.push(each);
          return next.call(this, each);
        };
        // Moleculer itself never forgets what it got no answer to.
        const forget = () => forgetAll(broker, asked);
        const late = setTimeout(forget, options.timeout ?? undefined);
        const answer = isRead === true ? heard() : offered(ask);
        return answer.finally(() => {
          clearTimeout(late);
          forget();
        });

        async function heard(): Promise<unknown> {
          spare = Math.min(MOST_SPARE, spare + SPARE_A_READ);
          const { promise, resolve, reject } = Promise.withResolvers<unknown>();
          const unheard = setTimeout(() => {
            if (spare < 1) return;
            spare -= 1;
            offered(ask).then(resolve, reject);
          }, unheardMs);
          offered(ask).then(resolve, reject);
          return promise.finally(() => clearTimeout(unheard));
        }
      };
    },
  };
}

/** The same call under an id of its own. A copy by itself goes to one node: this one goes to whoever takes it, as before. */
function anew(context: Context): Context {
  return Object.assign(context.copy(), { nodeID: context.nodeID });
}

async function offered(ask: () => Promise<unknown>): Promise<unknown> {
  const deadline = performance.now() + OFFERED_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!wasNotTaken(error) || performance.now() > deadline) throw error;
      await pause(OFFERED_EVERY_MS);
    }
  }
}

/** Whether an error says that nobody has begun what was asked for. */
export function wasNotTaken(error: unknown): boolean {
  return NOT_TAKEN.has((Object(error) as { type?: string }).type ?? "");
}

function forgetAll({ transit }: ServiceBroker, asked: readonly Context[]): void {
  const requests = transit as unknown as { removePendingRequest(id: string): void };
  for (const { id } of asked) requests.removePendingRequest(id);
}
