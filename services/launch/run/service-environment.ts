import { basicEnvironment } from "../embedded/basic-environment.ts";
import { ALL_SETTINGS, SETTINGS_OF } from "./service-factories.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that Node reads: its options, and which certificates it trusts. */
const NODE_VARIABLES = ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/**
 * Returns a copy of the environment, and removes every setting from `env` itself, which is `process.env`: a program
 * that a library starts inherits no API key, token or password.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): Environment {
  const taken = { ...env };
  for (const name of bothForms(Object.keys(ALL_SETTINGS))) delete env[name];
  return taken;
}

/** The environment of a service's process: the settings that the service reads, and no other. */
export function serviceEnvironment(service: ServiceName, env: Environment): Record<string, string> {
  return basicEnvironment(env, [...NODE_VARIABLES, ...bothForms(SETTINGS_OF[service])]);
}

/** A setting is given under its name, or as a file under its name and `_FILE`. */
function bothForms(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name}_FILE`]);
}
