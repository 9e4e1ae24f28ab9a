import { mkdir } from "node:fs/promises";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { StartupError } from "../run/startup-error.ts";

const MKDIR_TIMEOUT_MS = 5_000;

/** Creates a folder of DATA_DIR; throws a StartupError with the reason if that fails. */
export async function makeDataFolder(path: string): Promise<void> {
  // On some paths, such as below /proc, Node tries for ever.
  await withTimeout(MKDIR_TIMEOUT_MS, "mkdir", mkdir(path, { recursive: true })).catch((error: unknown) => {
    throw new StartupError(`DATA_DIR can't be written: ${(error as Error).message}`);
  });
}
