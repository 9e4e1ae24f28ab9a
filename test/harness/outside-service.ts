import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ClientProject } from "./client-project.ts";
import { PROJECT } from "./guildcal-process.ts";
import { until } from "./until.ts";

/** An installed version of Moleculer, by the folder of its package. */
export type MoleculerPackage = "moleculer" | "moleculer-0-14";

export interface OutsideSettings {
  readonly moleculer: MoleculerPackage;
  readonly namespace: string;
  readonly seed: string;
  readonly natsUrl: string;
  /** `documented` for the code in docs/nats.md, `packed contracts` for the installed package of the contracts. */
  readonly joins: "documented" | "packed contracts";
}

interface CallOutcome {
  readonly result?: unknown;
  readonly error?: { readonly type?: string; readonly code?: number; readonly data?: unknown; readonly name: string };
}

/** The code that joins with the package of the contracts, as in its README. */
const JOIN_WITH_CONTRACTS = `
import { brokerOptions, call as typedCall, on } from "@guildcal/contracts";
import { ServiceBroker } from "moleculer";
import { nkeyAuthenticator } from "nats";

const { GUILDCAL_NATS_URL: url, GUILDCAL_BUS_SEED: seed } = process.env;
const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed));
const broker = new ServiceBroker(brokerOptions({ user: "shop-bot", url, authenticator }));
const call = (action, params, options) => typedCall(broker, action, params, options);
const events = Object.assign({}, ...["calendar-event.changed", "guild-settings.changed"].map((eventName) =>
  on(eventName, (params) => void process.send({ eventName, params }))));
`;

const CALL_AND_LISTEN = `
const call = (action, params, options) => broker.call(action, params, options);
const events = { "**": { context: true, handler: ({ eventName, params }) => void process.send({ eventName, params }) } };
`;

/** The code of the service: it sends events to the test, and makes the calls that the test requests. */
const DRIVER = `
broker.createService({ name: "outside", events });
process.on("message", ({ id, action, params, options }) => {
  const reply = (outcome) => process.send({ id, ...outcome });
  call(action, params, options).then(
    (result) => reply({ result }),
    ({ name, type, code, data }) => reply({ error: { name, type, code, data } }),
  );
});
await broker.start();
process.send("started");
`;

/** A service of another project: Moleculer in its own folder and process, which joins the bus as docs/nats.md or the contracts' README describes. */
export class OutsideService {
  readonly events: { readonly eventName: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  readonly #child: ChildProcess;
  readonly #project: ClientProject;
  readonly #waiting = new Map<number, (response: CallOutcome) => void>();
  #calls = 0;
  #output = "";
  #isStarted = false;

  private constructor(child: ChildProcess, project: ClientProject) {
    this.#child = child;
    this.#project = project;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
    child.on("message", (message) => this.#onMessage(message));
  }

  static async start({ moleculer, namespace, seed, natsUrl, joins }: OutsideSettings): Promise<OutsideService> {
    const isDocumented = joins === "documented";
    const project = await ClientProject.make(...(isDocumented ? [] : ["contracts" as const]));
    await project.link({ moleculer, nats: "nats", "cbor-x": "cbor-x" });
    const joining = isDocumented ? (await joiningLines()) + CALL_AND_LISTEN : JOIN_WITH_CONTRACTS;
    const user = namespace.replace("guildcal-bus.", "");
    await project.write("service.js", joining.replace("shop-bot", user) + DRIVER);
    const script = join(project.folder, "service.js");
    const env = { PATH: process.env["PATH"], GUILDCAL_NATS_URL: natsUrl, GUILDCAL_BUS_SEED: seed };
    const child = spawn(process.execPath, [script], {
      cwd: project.folder,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const service = new OutsideService(child, project);
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
    await this.#project.end();
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
