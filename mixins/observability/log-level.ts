import type { ServiceBroker } from "moleculer";
import pino from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** How a broker's logger is set (moleculer.config.ts). */
interface LoggerSetting {
  readonly options?: { readonly level?: { readonly "**"?: string } };
}

/** Whether a broker writes lines of that level: what nobody would read need not be made. True where it is not known. */
export function isLogged({ options }: Pick<ServiceBroker, "options">, level: LogLevel): boolean {
  const least = (options.logger as LoggerSetting | undefined)?.options?.level?.["**"];
  return least === undefined || pino.levels.values[level]! >= (pino.levels.values[least] ?? Infinity);
}
