import type { ServiceBroker } from "moleculer";
import pino from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The logger options of a broker (moleculer.config.ts). */
interface LoggerSetting {
  readonly options?: { readonly level?: { readonly "**"?: string } };
}

/**
 * Whether a broker writes lines of that level; true if the level is unknown. A caller does not build the lines that
 * the logger would drop.
 */
export function isLogged({ options }: Pick<ServiceBroker, "options">, level: LogLevel): boolean {
  const lowest = (options.logger as LoggerSetting | undefined)?.options?.level?.["**"];
  return lowest === undefined || pino.levels.values[level]! >= (pino.levels.values[lowest] ?? Infinity);
}
