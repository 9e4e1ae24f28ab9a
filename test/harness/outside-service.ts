import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "./guildcal-process.ts";
import { until } from "./until.ts";
import { removeFolder } from "./remove-folder.ts";

/** An installed version of Moleculer, by the folder of its package. */
export type MoleculerPackage = "moleculer" | "moleculer-0-14";

export interface OutsideSettings {
  readonly moleculer: MoleculerPackage;
  readonly namespace: string;
  readonly seed: string;
  readonly natsUrl: string;
}

interface CallOutcome {
  readonly result?: unknown;
  readonly error?: { readonly type?: string; readonly code?: number; readonly data?: unknown; readonly name: string };
}

/** The code of the service: it sends events to the test, and makes the calls that the test requests. */
const DRIVER = `
broker.createService({
  name: "outside",
  events: { "**": { context: true, handler: ({ eventName, params }) => void process.send({ eventName, params }) } },
});
process.on("message", ({ id, action, params, options }) => {
  const reply = (outcome) => process.send({ id, ...outcome });
  broker.call(action, params, options).then(
    (result) => reply({ result }),
    ({ name, type, code, data }) => reply({ error: { name, type, code, data } }),
  );
});
await broker.start();
process.send("started");
`;

/** A service of another project: plain Moleculer in its own folder and process, which joins the bus as docs/nats.md describes. */
export class OutsideService {
  readonly events: { readonly eventName: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, (response: CallOutcome) => void>();
  #calls = 0;
  #output = "";
  #isStarted = false;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
    child.on("message", (message) => this.#onMessage(message));
  }

  static async start({ moleculer, namespace, seed, natsUrl }: OutsideSettings): Promise<OutsideService> {
    const folder = await mkdtemp(join(tmpdir(), "guildcal-outside-"));
    await mkdir(join(folder, "node_modules"));
    const link = (name: string, to: string) =>
      symlink(join(PROJECT, "node_modules", to), join(folder, "node_modules", name));
    await Promise.all([link("moleculer", moleculer), link("nats", "nats"), link("cbor-x", "cbor-x")]);
    const script = join(folder, "service.mjs");
    await writeFile(script, (await joiningLines()).replace("guildcal-bus.shop-bot", namespace) + DRIVER);
    const env = { PATH: process.env["PATH"], GUILDCAL_NATS_URL: natsUrl, GUILDCAL_BUS_SEED: seed };
    const child = spawn(process.execPath, [script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    const service = new OutsideService(child, folder);
    await until(() => service.#hasStarted(), "the start of the outside service", 20_000);
    return service;
  }

  get output(): string {
    return this.#output;
  }

  /** Calls an action from the service's broker. */
  call(action: string, params: object, options: object = {}): Promise<CallOutcome> {
    const id = (this.#calls += 1);
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    this.#waiting.set(id, resolve);
    this.#child.send({ id, action, params, options });
    return promise;
  }

  /** Calls the action until the service's broker knows it and a call succeeds. */
  async reaches(action: string, params: object): Promise<void> {
    await until(async () => (await this.call(action, params)).error === undefined, `${action} is served`, 20_000);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await gone;
    }
    await removeFolder(this.#folder);
  }

  #hasStarted(): boolean {
    if (this.#child.exitCode !== null) throw new Error(`the outside service ended:\n${this.#output}`);
    return this.#isStarted;
  }

  #onMessage(message: unknown): void {
    if (message === "started") this.#isStarted = true;
    const { id, eventName, ...rest } = Object(message) as CallOutcome & {
      readonly id?: number;
      readonly eventName?: string;
      readonly params?: Readonly<Record<string, unknown>>;
    };
    if (id !== undefined) this.#waiting.get(id)?.(rest);
    if (eventName !== undefined && !eventName.startsWith("$"))
      this.events.push({ eventName, params: rest.params ?? {} });
  }
}

/** The code in docs/nats.md that joins the bus. */
async function joiningLines(): Promise<string> {
  const text = await readFile(join(PROJECT, "docs/nats.md"), "utf8");
  const [, lines] = /```js\n(import [\s\S]*?)```/.exec(text) ?? [];
  if (lines === undefined) throw new Error("docs/nats.md has no code that joins the bus");
  return lines;
}
