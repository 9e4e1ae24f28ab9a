import { resolve } from "node:path";
import { runningMongod, startMongod } from "../embedded/embedded-mongod.ts";
import { checkMongo } from "../run/preflight.ts";
import { finishSchema, readSchema, SCHEMA_VERSION } from "../run/schema-version.ts";
import { isServiceName, readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";

const USAGE = `npm run schema -- [SERVICE]...
npm run schema -- finish [SERVICE]...
The services: ${SERVICES.join(", ")}; all of them where none is named.`;

type UrlOf = (service: ServiceName) => string;

/** `npm run schema`: shows the schema versions of each service's data, or notes that an upgrade is finished. */
export async function runSchema(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const isFinish = args[0] === "finish";
  const named = isFinish ? args.slice(1) : args;
  const services = named.filter(isServiceName);
  if (services.length < named.length) throw new StartupError(USAGE);
  await withMongo(readSettings(env), async (urlOf) => {
    for (const service of services.length === 0 ? SERVICES : services) {
      if (isFinish) await finishSchema(urlOf(service), service);
      const { newest = "none", oldest = "none" } = (await readSchema(urlOf(service), service)) ?? {};
      process.stdout.write(`${service}  newest ${newest}  oldest ${oldest}  this release ${SCHEMA_VERSION}\n`);
    }
  });
}

/** The database that is set, the embedded one that runs, or one that is started for the moment. */
async function withMongo(
  { MONGO_URL, DATA_DIR }: { readonly MONGO_URL: string | undefined; readonly DATA_DIR: string },
  work: (urlOf: UrlOf) => Promise<void>,
): Promise<void> {
  if (MONGO_URL !== undefined) {
    await checkMongo(MONGO_URL);
    return work(() => MONGO_URL);
  }
  const directory = resolve(DATA_DIR);
  const running = new Map<ServiceName, string>();
  for (const service of SERVICES) {
    const url = await runningMongod(directory, service);
    if (url !== undefined) running.set(service, url);
  }
  if (running.size === SERVICES.length) return work((service) => running.get(service) as string);
  const mongod = await startMongod(directory);
  try {
    await work((service) => mongod.urlOf(service));
  } finally {
    await mongod.stop();
  }
}
