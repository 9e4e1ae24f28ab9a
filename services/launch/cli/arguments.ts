import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import type { ActionContract } from "../../contracts/contract.ts";
import { StartupError } from "../run/startup-error.ts";

/** Parses the arguments of a command. Throws a StartupError with the problem and the usage. */
export function parseArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${usage}`);
  }
}

/**
 * Returns the params if they are valid. Otherwise throws a StartupError with every problem and the usage. From `types`,
 * which has no value at run time, the compiler infers `Params`.
 */
export function checkedParams<Params>(
  contract: Pick<ActionContract<Params, unknown>, "params" | "crossFieldProblems" | "types">,
  params: object,
  usage: string,
): Params {
  const problems = paramsCheck(contract)(params);
  if (problems.length === 0) return params as Params;
  throw new StartupError([...problems.map(({ field, message }) => `${field} ${message}`), usage].join("\n"));
}
