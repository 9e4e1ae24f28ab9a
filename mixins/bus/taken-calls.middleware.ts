import moleculer, {
  type ActionSchema,
  type Context,
  type Middleware,
  type Service,
  type ServiceBroker,
} from "moleculer";
import type { ReadOrWrite } from "./asked-again.middleware.ts";
import { TakenCalls } from "./lost-calls.ts";
import { steadyTransporterOf } from "./steady-nats-transporter.ts";

/** What the declarations of Moleculer's transit leave out. */
interface Answering {
  sendResponse(node: string, id: string, meta: object, headers: object, data: unknown, error: unknown): void;
}

/**
 * Remembers which calls that change something came over the bus, and what they were answered: an answer that was lost
 * is given once more, and of what never came its caller is told so (mixins/bus/lost-calls.ts).
 */
export function takenCalls(clock = () => performance.now()): Middleware {
  const taken = new TakenCalls(clock);
  return {
    name: "taken calls",
    async starting(broker: ServiceBroker) {
      const transporter = steadyTransporterOf(broker);
      if (transporter !== undefined) transporter.whenAskedAfter = (id) => taken.asked(id);
    },
    localAction(next, { isRead }: ReadOrWrite & ActionSchema) {
      if (isRead === true) return next;
      return async function taking(this: Service, context: Context) {
        const { broker, id, nodeID } = context;
        if (nodeID === broker.nodeID || nodeID === null) return next.call(this, context);
        if (!taken.take(id)) throw new moleculer.Errors.ServiceNotAvailableError({ nodeID: broker.nodeID });
        const answer = (data: unknown, error: unknown) => {
          const { meta, responseHeaders } = context as Context & { responseHeaders: object };
          const transit = broker.transit as unknown as Answering;
          taken.settle(id, () => transit.sendResponse(nodeID, id, meta, responseHeaders, data, error));
        };
        const result: Promise<unknown> = next.call(this, context);
        result.then(
          (data) => answer(data, null),
          (error: unknown) => answer(null, error),
        );
        return result;
      };
    },
  };
}
