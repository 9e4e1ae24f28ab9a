import { storedSecret } from "./stored-secret.ts";

interface PepperSettings {
  readonly API_KEY_PEPPER: string | undefined;
  readonly DATA_DIR: string;
}

/**
 * The settings with a pepper: the one that is set, or the one of the data folder, made there at the first start. It
 * lies beside the database's files and not in the database, so a dump or a stolen password of that tells no digest's
 * key.
 */
export async function withPepper<Settings extends PepperSettings>(settings: Settings): Promise<Settings> {
  const pepper = settings.API_KEY_PEPPER ?? (await storedSecret(settings.DATA_DIR, "api-key-pepper"));
  return { ...settings, API_KEY_PEPPER: pepper };
}
