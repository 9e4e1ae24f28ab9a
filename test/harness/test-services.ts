import { randomUUID } from "node:crypto";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import mongoose from "mongoose";
import { brokerOptions } from "../../moleculer.config.ts";
import type { ActionContract, CallMeta } from "../../services/contracts/contract.ts";
import { ListedRefusals } from "./listed-refusals.ts";
import { needRowsAsSchemas } from "./stored-as-schemas.ts";

declare const TOPOLOGY: "in one process" | "over NATS";

/** Services under test, on their own database. */
export interface TestServices {
  /** Calls an action as another service would. */
  call<Params, Result>(contract: ActionContract<Params, Result>, params: Params, meta?: CallMeta): Promise<Result>;
  /** The broker of the test, for calls and events. In one process it also has the services. */
  readonly broker: ServiceBroker;
  readonly mongoUrl: string;
  /** Stops the services; rejects if a stored row does not match its schema, or a refusal is not in its contract. */
  stop(): Promise<void>;
}

const DATABASE_TIMEOUT_MS = 60_000;

/** The URL of an empty database on the run's mongod. */
export function emptyDatabase(): string {
  const url = process.env["TEST_MONGO_URL"];
  if (url === undefined) throw new Error("no MongoDB was started for this run");
  return url.replace("/guildcal?", `/test_${randomUUID()}?`);
}

/**
 * Starts the services that `make` returns for a MongoDB URL: all on one broker, or in the project "over NATS" each on its own
 * broker, with CBOR and a real nats-server between them. There two of one name are replicas.
 */
export async function startTestServices(
  make: (mongoUrl: string) => readonly ServiceSchema[],
  listeners: readonly ServiceSchema[] = [],
  mongoUrl = emptyDatabase(),
): Promise<TestServices> {
  await untilDatabaseResponds(mongoUrl);
  const schemas = make(mongoUrl);
  const namespace = randomUUID();
  const refusals = new ListedRefusals();
  const broker = testBroker("test", namespace, refusals);
  const brokers = [broker];
  for (const schema of listeners) broker.createService(schema);
  for (const [at, schema] of schemas.entries()) {
    const home = TOPOLOGY === "over NATS" ? testBroker(`${schema.name}-${at}`, namespace, refusals) : broker;
    if (home !== broker) brokers.push(home);
    home.createService(schema);
  }
  await Promise.all(brokers.map((each) => each.start()));
  await Promise.all(
    brokers.map((each) =>
      each.waitForServices(
        schemas.map((schema) => schema.name),
        20_000,
        20,
      ),
    ),
  );
  return {
    broker,
    mongoUrl,
    call: (contract, params, meta = {}) => broker.call(contract.name, params as never, { meta: { ...meta } }),
    stop: async () => {
      try {
        refusals.check();
        await needRowsAsSchemas(mongoUrl);
      } finally {
        await Promise.all(brokers.map((each) => each.stop()));
      }
    },
  };
}

/** A busy machine may not run mongod for longer than a service waits for it at its start. */
async function untilDatabaseResponds(mongoUrl: string): Promise<void> {
  const connection = mongoose.createConnection(mongoUrl, { serverSelectionTimeoutMS: DATABASE_TIMEOUT_MS });
  await connection.asPromise();
  await connection.close();
}

function testBroker(name: string, namespace: string, refusals: ListedRefusals): ServiceBroker {
  const natsUrl = TOPOLOGY === "over NATS" ? process.env["TEST_NATS_URL"] : undefined;
  const logLevel = process.env["LOG_LEVEL"] ?? "fatal";
  const options = brokerOptions({ nodeId: `${name}.test`, natsUrl, logLevel });
  const middlewares = [...(options.middlewares ?? []), refusals.middleware];
  return new ServiceBroker({ ...options, middlewares, namespace });
}
