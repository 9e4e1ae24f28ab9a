import { rm } from "node:fs/promises";

/**
 * Removes a folder and its contents. A mongod that is killed together with its parent process may write a file during the
 * removal (`ENOTEMPTY`), which is therefore retried for up to half a minute.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 24, retryDelay: 100 });
}
