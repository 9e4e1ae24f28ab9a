import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NodeProcess, type NodeProcessOptions } from "./node-process.ts";

/** The folder of this project. `GuildcalProcess` can also start another version, in another folder. */
export const PROJECT = dirname(dirname(import.meta.dirname));
const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string };
};
/** The options of Node, as in `npm start`. */
const FLAGS = scripts.start.split(" ").filter((word) => word.startsWith("--"));

/** guildcal in its own process, started as a user starts it. */
export class GuildcalProcess extends NodeProcess {
  /** `env` replaces the environment of this test run, except PATH. */
  constructor(
    mode: string,
    env: Readonly<Record<string, string>>,
    project = PROJECT,
    { flags = [], ...more }: Pick<NodeProcessOptions, "flags" | "processor" | "hasChannel"> = {},
  ) {
    const script = join(project, "services/launch/start.js");
    super({ script, args: [mode], flags: [...FLAGS, ...flags], env, ...more });
  }
}

/** Sends a POST request as a client does. */
export async function post(baseUrl: string, key: string, path: string, body: object): Promise<ApiResponse> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: key, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}
