import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Addresses, makeSecrets, randomSecret } from "../../k8s/make-secrets.ts";
import type { StoredSecret } from "../../k8s/rotate-secret.ts";
import { PROJECT } from "./guildcal-process.ts";

/** The secrets of an installation, as a cluster stores them. */
export interface RotatedSecrets {
  /** The values of a secret by their keys, as the variables of a container. */
  valuesOf(secret: string): Readonly<Record<string, string>>;
  /** Runs `k8s/rotate-secret.ts`, and replaces the secrets that it writes. `given` is the variable VALUE. */
  rotate(what: string, whose?: string, given?: string): Promise<void>;
}

/** New secrets, as of `k8s/make-secrets.ts`. */
export function newSecrets(addresses: Addresses): RotatedSecrets {
  const stored = new Map<string, StoredSecret>(
    Object.entries(makeSecrets(addresses, randomSecret)).map(([name, values]) => {
      const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      return [name, { metadata: { name }, data: Object.fromEntries(data) as Record<string, string> }];
    }),
  );
  return {
    valuesOf(secret) {
      const { data = {} } = stored.get(secret) ?? {};
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
      );
    },
    async rotate(what, whose = "", given = "") {
      const { PATH = "" } = process.env;
      const script = join(PROJECT, "k8s/rotate-secret.ts");
      const child = spawn(process.execPath, [script, what, whose], { env: { PATH, VALUE: given } });
      child.stdin.end(JSON.stringify({ items: [...stored.values()] }));
      const [output, problem] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      if (output === "") throw new Error(`${what} ${whose} was refused: ${problem}`);
      for (const secret of (JSON.parse(output) as { readonly items: readonly StoredSecret[] }).items) {
        stored.set(secret.metadata.name, secret);
      }
    },
  };
}
