import type { Context } from "moleculer";
import type { EventContract } from "../../services/contracts/contract.ts";
import { paramsCheck } from "./check-params.ts";
import { RateLimitedLog } from "../observability/rate-limited-log.ts";
import { busRefusals } from "../observability/metrics.ts";
import { runOutsideWrite } from "../mongo/write-context.ts";

type Listener = (context: Context) => void;

/**
 * The Moleculer event listener of a contract. A payload that violates the contract is dropped, counted and logged.
 * The listener does not request the payload again: an event is only a hint, and anyone on the bus could have sent it.
 *
 * In the process of the sender Moleculer calls the listener during the write that is broadcast. The handler runs outside
 * of that write, whose deadline does not apply to it.
 *
 * @param handler - Gets the node that sent the event, too.
 */
export function listen<Payload>(
  contract: EventContract<Payload>,
  handler: (payload: Payload, sender: string) => void,
): Record<string, Listener> {
  const check = paramsCheck({ params: contract.payload });
  let log: RateLimitedLog | undefined;
  return {
    [contract.name]({ params, nodeID, broker }) {
      const problems = check(Object(params) as object);
      if (problems.length === 0) return runOutsideWrite(() => handler(params as Payload, String(nodeID)));
      busRefusals.inc({ packet: "EVENT", reason: `the payload of ${contract.name}` });
      log ??= new RateLimitedLog((fields, text) => broker.getLogger("bus").warn(fields, text));
      const fields = { event: contract.name, sender: nodeID, problems: problems.slice(0, 5) };
      log.note(contract.name, fields, "an event with a wrong payload was dropped");
    },
  };
}
