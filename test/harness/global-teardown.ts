import type { EmbeddedMongod } from "../../services/launch/embedded/embedded-mongod.ts";
import type { EmbeddedNats } from "../../services/launch/embedded/embedded-nats.ts";
import { removeFolder } from "./remove-folder.ts";

export default async function globalTeardown(): Promise<void> {
  const { realParts } = globalThis as { realParts?: { mongod: EmbeddedMongod; nats: EmbeddedNats; directory: string } };
  if (realParts === undefined) return;
  await Promise.all([realParts.mongod.stop(), realParts.nats.stop()]);
  await removeFolder(realParts.directory);
}
