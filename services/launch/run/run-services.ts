import { type Middleware, ServiceBroker, type ServiceSchema } from "moleculer";
import { type BrokerSettings, brokerOptions } from "../../../moleculer.config.ts";

/** Services that run in this process, on one broker. */
export interface RunningServices {
  readonly broker: ServiceBroker;
  /**
   * Stops the services after the requests in flight have responses: the gateway first, so that its requests still reach the
   * other services.
   */
  stop(): Promise<void>;
}

/** Starts the services; resolves when each is ready for calls. */
export async function runServices(
  schemas: readonly ServiceSchema[],
  settings: BrokerSettings,
  middlewares: Middleware[] = [],
): Promise<RunningServices> {
  const options = brokerOptions(settings);
  const broker = new ServiceBroker({ ...options, middlewares: [...(options.middlewares ?? []), ...middlewares] });
  const services = schemas.map((schema) => broker.createService(schema));
  await broker.start();
  return {
    broker,
    async stop() {
      const gateway = services.find(({ name }) => name === "api");
      if (gateway !== undefined) await broker.destroyService(gateway);
      await broker.stop();
    },
  };
}
