import { storedSecret } from "../embedded/stored-secret.ts";

/** The secrets that every start of an installation needs unchanged, with the name of their file in the data folder. */
const FILES = { API_KEY_PEPPER: "api-key-pepper", WEBHOOKS_KEY: "webhooks-key" } as const;
type SecretName = keyof typeof FILES;

/**
 * Returns the settings with secrets: the given ones, or those in the data folder, which the first start creates. They are
 * stored outside the database, so a dump of the database does not reveal them.
 */
export async function withStoredSecrets<Name extends SecretName, Settings extends StoredSettings<Name>>(
  settings: Settings,
  ...names: readonly Name[]
): Promise<Settings> {
  const secrets: [Name, string][] = [];
  for (const name of names) {
    secrets.push([name, settings[name] ?? (await storedSecret(settings.DATA_DIR, FILES[name]))]);
  }
  return { ...settings, ...Object.fromEntries(secrets) };
}

type StoredSettings<Name extends SecretName> = Readonly<Record<Name, string | undefined>> & {
  readonly DATA_DIR: string;
};
