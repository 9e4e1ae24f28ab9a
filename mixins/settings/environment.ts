import { readFileSync } from "node:fs";

/** A setting that is read from the environment. */
export interface Setting<T> {
  /** The description in the table of docs/configuration.md, in one line. */
  readonly about: string;
  /** The value of an unset or empty variable; undefined for a setting without a default. */
  readonly defaultText: string | undefined;
  /** The end of the sentence "NAME must be …". */
  readonly expects: string;
  /** Returns the value; undefined if the text is invalid. */
  readonly parse: (text: string) => T | undefined;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** Values by variable name. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** The problems of all invalid settings, one line each. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * Reads a table of settings; throws one SettingsError that names all invalid ones. The error never contains a value.
 *
 * Any setting NAME can be given as NAME_FILE instead: the path of a file with the value, as orchestrators provide
 * secrets. One line break at the end of the file is not part of the value.
 *
 * @param crossSettingProblems - Returns the problems between settings, each beginning with the name of a setting. It
 * gets only valid values; its problems of settings that are invalid themselves are left out.
 */
export function readEnvironment<Table extends SettingsTable>(
  env: Readonly<Record<string, string | undefined>>,
  table: Table,
  crossSettingProblems: (values: Partial<SettingsOf<Table>>) => readonly string[] = () => [],
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
  const invalid = new Set(problems.map(nameIn));
  problems.push(
    ...crossSettingProblems(values as Partial<SettingsOf<Table>>).filter((problem) => !invalid.has(nameIn(problem))),
  );
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

/** The text of a setting, from the environment or a file; undefined for an unset or empty one. */
function givenText(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const text = env[name] || undefined;
  const path = env[`${name}_FILE`] || undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw new SettingsError([`${name} and ${name}_FILE are both set: unset one of them`]);
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

export function integerSetting(about: string, defaultValue: number, min: number, max: number): Setting<number> {
  return {
    about,
    defaultText: String(defaultValue),
    expects: `an integer from ${min} to ${max}`,
    parse(text) {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
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
