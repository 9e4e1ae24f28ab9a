import { parseArgs } from "node:util";

/** The default of an option, or `Number` or `String` for an option without a default. An option with a list may be repeated. */
type Declared = number | string | boolean | readonly string[] | NumberConstructor | StringConstructor;

type ValueOf<Option> = Option extends NumberConstructor
  ? number | undefined
  : Option extends StringConstructor
    ? string | undefined
    : Option extends number
      ? number
      : Option extends boolean
        ? boolean
        : Option extends string
          ? string
          : readonly string[];

type Values<Options> = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

export interface CommandLine<Options> {
  readonly options: Values<Options>;
  readonly positionals: readonly string[];
}

/**
 * Reads the command line of a lab command.
 *
 * @throws Error that names an unknown option, or an option with an invalid number.
 */
export function readCommandLine<const Options extends Readonly<Record<string, Declared>>>(
  declared: Options,
  { args = process.argv.slice(2), allowPositionals = false } = {},
): CommandLine<Options> {
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, option]) => [
      name,
      { type: typeof option === "boolean" ? "boolean" : "string", multiple: Array.isArray(option) } as const,
    ]),
  );
  const { values, positionals } = parseArgs({ args, options, allowPositionals });
  const read = Object.entries(declared).map(([name, option]) => [name, valueOf(name, option, values[name])]);
  return { options: Object.fromEntries(read) as Values<Options>, positionals };
}

export function readOptions<const Options extends Readonly<Record<string, Declared>>>(
  declared: Options,
  args?: string[],
): Values<Options> {
  return readCommandLine(declared, args === undefined ? {} : { args }).options;
}

function valueOf(name: string, option: Declared, text: unknown): unknown {
  if (text === undefined) return typeof option === "function" ? undefined : option;
  return typeof option === "number" || option === Number ? numberOf(name, text as string) : text;
}

function numberOf(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}"`);
  return Number(text);
}

/**
 * Selects the items whose text contains one of the texts of `--only`; all items without `--only`.
 *
 * @throws Error if no item's text contains them, since a run of no item would pass.
 */
export function selectOnly<Item>(
  items: readonly Item[],
  only: readonly string[],
  textOf: (item: Item) => string,
): readonly Item[] {
  if (only.length === 0) return items;
  const selected = items.filter((item) => only.some((words) => textOf(item).includes(words)));
  if (selected.length === 0) throw new Error(`--only: no name contains ${only.join(" or ")}`);
  return selected;
}
