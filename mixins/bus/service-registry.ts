import type { ServiceBroker } from "moleculer";

/** Members of Moleculer's registry that its declarations lack. */
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

/** Whether the broker knows a node that serves the action. */
export function isActionAvailable(broker: ServiceBroker, action: string): boolean {
  return registryOf(broker).actions.isAvailable(action);
}

/** The node ids of the known replicas of a service; heartbeats keep the list current. */
export function replicasOf(broker: ServiceBroker, service: string): string[] {
  const services = registryOf(broker).getServiceList({ onlyAvailable: true });
  return services.filter(({ name }) => name === service).map(({ nodeID }) => nodeID);
}
