import { finishSchema, readSchema, SCHEMA_VERSION } from "../run/schema-version.ts";
import { isServiceName, readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { openDatabase } from "./open-database.ts";
import { SERVICES } from "../../contracts/service-names.ts";

const USAGE = `npm run schema -- [SERVICE]...
npm run schema -- finish [SERVICE]...
Services: ${SERVICES.join(", ")}; without a name all of them.`;

/** `npm run schema`: prints the schema versions of the services' data; with `finish`, first records that an upgrade ended. */
export async function runSchema(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const isFinish = args[0] === "finish";
  const named = isFinish ? args.slice(1) : args;
  const services = named.filter(isServiceName);
  if (services.length < named.length) throw new StartupError(USAGE);
  const database = await openDatabase(readSettings(env));
  try {
    for (const service of services.length === 0 ? SERVICES : services) {
      const url = database.urlOf(service);
      if (isFinish) await finishSchema(url, service);
      const { newest = "none", oldest = "none" } = (await readSchema(url, service)) ?? {};
      process.stdout.write(`${service}  newest ${newest}  oldest ${oldest}  this release ${SCHEMA_VERSION}\n`);
    }
  } finally {
    await database.close();
  }
}
