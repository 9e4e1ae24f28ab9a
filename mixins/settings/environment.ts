import { readFileSync } from "node:fs";

/** One setting that is read from the environment. */
export interface Setting<T> {
  /** One line for the table in docs/configuration.md. */
  readonly about: string;
  /** What stands when the variable is unset or empty; undefined where it may be absent. */
  readonly defaultText: string | undefined;
  /** What a value must be, after the words "must be". */
  readonly expects: string;
  /** The value, or undefined when the text is not as expected. */
  readonly parse: (text: string) => T | undefined;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** Values by variable name. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** Every setting that is wrong, a line each. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * Reads a table of settings; throws one SettingsError that names all that are wrong. Never repeats a value.
 *
 * Any setting NAME can be given as NAME_FILE instead: the path of a file that holds the value, as orchestrators
 * hand out secrets. One line break at the file's end is not part of the value.
 *
 * `together` tells what is wrong between settings, each problem beginning with a setting's name; it is given what
 * could be read, and what it says of a setting that is wrong by itself is left out.
 */
export function readEnvironment<Table extends SettingsTable>(
  env: Readonly<Record<string, string | undefined>>,
  table: Table,
  together: (values: Partial<SettingsOf<Table>>) => readonly string[] = () => [],
): SettingsOf<Table> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    try {
      values[name] = valueOf(name, setting, givenText(env, name));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
    }
  }
  const named = new Set(problems.map(nameIn));
  problems.push(...together(values as Partial<SettingsOf<Table>>).filter((problem) => !named.has(nameIn(problem))));
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(values) as SettingsOf<Table>;
}

function nameIn(problem: string): string | undefined {
  return problem.split(" ", 1)[0];
}

function valueOf<T>(
  name: string,
  { defaultText, parse, expects }: Setting<T>,
  given: string | undefined,
): T | undefined {
  const text = given ?? defaultText;
  const value = text === undefined ? undefined : parse(text);
  if (text !== undefined && value === undefined) throw new SettingsError([`${name} must be ${expects}`]);
  return value;
}

/** What is given for a setting, in the environment or in a file; undefined for nothing, and for nothing but "". */
function givenText(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const text = env[name] || undefined;
  const path = env[`${name}_FILE`] || undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw new SettingsError([`${name} and ${name}_FILE are both set: leave out one of them`]);
  return fileText(name, path) || undefined;
}

function fileText(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError([`${name}_FILE must name a file that can be read (${code})`]);
  }
}

export function integerSetting(about: string, defaultText: number, least: number, most: number): Setting<number> {
  return {
    about,
    defaultText: String(defaultText),
    expects: `an integer from ${least} to ${most}`,
    parse(text) {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export function choiceSetting<Choice extends string>(
  about: string,
  defaultText: Choice,
  choices: readonly Choice[],
): Setting<Choice> {
  return {
    about,
    defaultText,
    expects: `one of ${choices.join(", ")}`,
    parse: (text) => choices.find((choice) => choice === text.toLowerCase()),
  };
}

export function textSetting(about: string, defaultText: string, expects: string, pattern: RegExp): Setting<string> {
  return { about, defaultText, expects, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** A setting without a default. */
export function optionalSetting(about: string, expects: string, pattern: RegExp): Setting<string | undefined> {
  return { about, defaultText: undefined, expects, parse: (text) => (pattern.test(text) ? text : undefined) };
}
