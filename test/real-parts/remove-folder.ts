import { rm } from "node:fs/promises";

/**
 * Removes the folder with all that is in it. A mongod that is killed together with the process that started it may
 * write a file while the folder is emptied (`ENOTEMPTY`): then it is emptied again, for up to half a minute.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 24, retryDelay: 100 });
}
