import { storedSecret } from "../embedded/stored-secret.ts";

interface PepperSettings {
  readonly API_KEY_PEPPER: string | undefined;
  readonly DATA_DIR: string;
}

/**
 * Returns the settings with a pepper: the given one, or the one in the data folder, which the first start creates.
 * The pepper is stored outside the database, so a dump of the database does not reveal it.
 */
export async function withPepper<Settings extends PepperSettings>(settings: Settings): Promise<Settings> {
  const pepper = settings.API_KEY_PEPPER ?? (await storedSecret(settings.DATA_DIR, "api-key-pepper"));
  return { ...settings, API_KEY_PEPPER: pepper };
}
