import { type Context, ServiceBroker, type ServiceSchema } from "moleculer";
import { uniqueNodeId } from "../../../mixins/bus/node-id.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { SERVICES } from "../../contracts/service-names.ts";
import type { BusCall } from "./bus-calls.ts";
import { actionsFor, type BusUser, namespaceOf } from "./bus-user.ts";

export interface BusBrokerOptions {
  readonly natsUrl: string;
  readonly logLevel: string;
  readonly call: BusCall;
}

/** Moleculer's default, for Moleculer's default interval of ten seconds between the heartbeats of a client. */
const HEARTBEAT_TIMEOUT_S = 30;

/**
 * A broker in the namespace of one bus user. It serves the actions that the user may call, with the checks of a request over
 * HTTP. The namespace identifies the caller: NATS lets no other user publish to its subjects.
 */
export function busBroker(user: BusUser, { natsUrl, logLevel, call }: BusBrokerOptions): ServiceBroker {
  const options = brokerOptions({ nodeId: uniqueNodeId("api", user.name), natsUrl, logLevel });
  const broker = new ServiceBroker({
    ...options,
    namespace: namespaceOf(user.name),
    heartbeatTimeout: HEARTBEAT_TIMEOUT_S,
    // Also accepts version 4 of the protocol (Moleculer 0.14), which lacks two fields (packet-checks.middleware.ts).
    transit: { ...options.transit, disableVersionCheck: true },
  });
  for (const service of servicesFor(user, call)) broker.createService(service);
  return broker;
}

function servicesFor(user: BusUser, call: BusCall): ServiceSchema[] {
  return SERVICES.map((name) => {
    const contracts = actionsFor(user.access).filter((contract) => contract.name.startsWith(`${name}.`));
    const actions = contracts.map((contract) => {
      const handler = ({ params, meta }: Context<unknown, object>) => call(user, contract, params, meta);
      return [contract.name.slice(name.length + 1), { handler }] as const;
    });
    return { name, actions: Object.fromEntries(actions) };
  });
}
