import { rm } from "node:fs/promises";
import type { EmbeddedMongod } from "../../services/launch/embedded/embedded-mongod.ts";
import type { EmbeddedNats } from "../../services/launch/embedded/embedded-nats.ts";

export default async function globalTeardown(): Promise<void> {
  const { realParts } = globalThis as { realParts?: { mongod: EmbeddedMongod; nats: EmbeddedNats; directory: string } };
  if (realParts === undefined) return;
  await Promise.all([realParts.mongod.stop(), realParts.nats.stop()]);
  await rm(realParts.directory, { recursive: true, force: true });
}
