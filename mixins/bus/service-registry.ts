import type { ServiceBroker } from "moleculer";

/** The members of Moleculer's registry that its declarations leave out. */
interface Registry {
  readonly actions: {
    isAvailable(name: string): boolean;
  };
  getServiceList(options: {
    readonly onlyAvailable: true;
  }): readonly { readonly name: string; readonly nodeID: string }[];
}

function registryOf({ registry }: ServiceBroker): Registry {
  return registry as unknown as Registry;
}

/** Whether anybody is known here who serves the action. */
export function isActionAvailable(broker: ServiceBroker, action: string): boolean {
  return registryOf(broker).actions.isAvailable(action);
}

/** The node ids of a service's replicas, as heartbeats tell of them. */
export function replicasOf(broker: ServiceBroker, service: string): string[] {
  const services = registryOf(broker).getServiceList({ onlyAvailable: true });
  return services.filter(({ name }) => name === service).map(({ nodeID }) => nodeID);
}
