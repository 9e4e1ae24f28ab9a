import { pino } from "pino";
import { SettingsError } from "../../mixins/settings/environment.ts";
import { lineFormat } from "../../moleculer.config.ts";
import { takeEnvironment } from "./run/service-environment.ts";
import { runDemo } from "./cli/demo.ts";
import { runBackup } from "./cli/backup.ts";
import { runBusUsers } from "./cli/bus-users.ts";
import { runImport } from "./cli/import.ts";
import { runKeys } from "./cli/keys.ts";
import { runInOneProcess, runSingleService, runInProcesses } from "./run/modes.ts";
import { runRestore } from "./cli/restore.ts";
import { runSchema } from "./cli/schema.ts";
import { isServiceName } from "./run/service-factories.ts";
import { StartupError } from "./run/startup-error.ts";
import { isSupervised } from "./run/supervise.ts";
import { SERVICES } from "../contracts/service-names.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the given mode: all services in one process, one process for each service, the demo, a command, or one
 * service.
 */
export async function main([mode = "all", ...args]: readonly string[]): Promise<void> {
  const env = takeEnvironment(process.env);
  try {
    await run(mode, args, env);
    process.exit(0);
  } catch (error) {
    printError(errorText(error, env), isServiceName(mode) && !isSupervised());
    process.exit(1);
  }
}

function run(mode: string, args: readonly string[], env: Environment): Promise<void> {
  if (mode === "all") return runInOneProcess(env);
  if (mode === "nats") return runInProcesses(env);
  if (mode === "demo") return runDemo(args, env);
  if (mode === "keys") return runKeys(args, env);
  if (mode === "bus-users") return runBusUsers(args, env);
  if (mode === "schema") return runSchema(args, env);
  if (mode === "backup") return runBackup(args, env);
  if (mode === "import") return runImport(args, env);
  if (mode === "restore") return runRestore(args, env);
  if (isServiceName(mode)) return runSingleService(mode, env);
  throw new StartupError(
    `Unknown mode: give all, nats, demo, keys, bus-users, schema, backup, restore, import or one of ${SERVICES.join(", ")}`,
  );
}

/** Prints error lines as text for a person; with `asJson`, for a container's log, each as a JSON object. */
function printError(lines: string, asJson: boolean): void {
  if (!asJson) process.stderr.write(`${lines}\n`);
  else
    for (const line of lines.split("\n"))
      pino(lineFormat("fatal"), pino.destination({ dest: 2, sync: true })).fatal(line);
}

/** One line for each problem; a stack only with LOG_LEVEL=debug. */
function errorText(error: unknown, env: Environment): string {
  if (error instanceof SettingsError) return error.problems.map((problem) => `Setting: ${problem}`).join("\n");
  if (error instanceof StartupError) return error.message;
  const { message, stack } = error as Error;
  return env["LOG_LEVEL"] === "debug" ? String(stack) : `guildcal could not start: ${message}`;
}
