import type { ServiceBroker } from "moleculer";

/** Whether the broker knows a node that serves the action. */
export function isActionAvailable({ registry }: ServiceBroker, action: string): boolean {
  return registry.actions.isAvailable(action);
}

/** The node ids of the known replicas of a service, this process included; heartbeats keep the list current. */
export function replicasOf({ registry }: ServiceBroker, service: string): string[] {
  const services = registry.getServiceList({ onlyAvailable: true });
  return services.flatMap(({ name, nodeID }) => (name === service && nodeID !== undefined ? [nodeID] : []));
}
