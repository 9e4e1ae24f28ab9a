import { basicEnvironment } from "../embedded/basic-environment.ts";
import { ALL_SETTINGS, SETTINGS_OF } from "./service-factories.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that Node reads: its options, and the certificates that it trusts. */
const NODE_VARIABLES = ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/**
 * Returns a copy of the environment, and removes every setting from `env` itself, which is `process.env`, so that
 * programs that a library starts inherit no API key, token or password.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): Environment {
  const taken = { ...env };
  for (const name of withFileVariables(Object.keys(ALL_SETTINGS))) delete env[name];
  return taken;
}

/** The environment of a service's process: only the settings that the service reads. */
export function serviceEnvironment(service: ServiceName, env: Environment): Record<string, string> {
  return basicEnvironment(env, [...NODE_VARIABLES, ...withFileVariables(SETTINGS_OF[service])]);
}

/** A setting can be given as NAME, or as a file in NAME_FILE. */
function withFileVariables(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name}_FILE`]);
}
