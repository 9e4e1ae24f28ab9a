type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that any program may need; none of them is a setting. */
const BASIC_VARIABLES = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH"];

/** The environment of a program that reads no setting, such as mongod; `extraNames` are further variables. */
export function basicEnvironment(
  env: Environment = process.env,
  extraNames: readonly string[] = [],
): Record<string, string> {
  const given = [...BASIC_VARIABLES, ...extraNames].map((name) => [name, env[name]] as const);
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
