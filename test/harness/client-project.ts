import { execFile, type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, packClient } from "../../clients/pack-client.ts";
import { PROJECT } from "./guildcal-process.ts";
import { until } from "./until.ts";
import { removeFolder } from "./remove-folder.ts";

const run = promisify(execFile);

/** An empty project in its own folder, in which packed clients are installed as from a registry. */
export class ClientProject {
  readonly folder: string;
  readonly #started: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(...clients: readonly Client[]): Promise<ClientProject> {
    const folder = await mkdtemp(join(tmpdir(), "guildcal-client-project-"));
    const project = new ClientProject(folder);
    await project.write("package.json", JSON.stringify({ private: true, type: "module" }));
    if (clients.length === 0) return project;
    const tarballs = await Promise.all(clients.map((client) => packClient(client, folder)));
    const words = ["install", "--offline", "--no-audit", "--no-fund", ...tarballs];
    await run("npm", words, { cwd: folder });
    return project;
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  /** Copies a file of the repository. */
  async copy(path: string, name: string): Promise<void> {
    await cp(join(PROJECT, path), join(this.folder, name));
  }

  /** Links packages of the repository's node_modules, under the given names. */
  async link(packages: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, installed] of Object.entries(packages)) {
      const target = join(this.folder, "node_modules", name);
      await mkdir(join(target, ".."), { recursive: true });
      await symlink(join(PROJECT, "node_modules", installed), target);
    }
  }

  /** The type errors of the project's files, and of the declarations of the installed clients. */
  async typeErrors(options: Readonly<Record<string, unknown>>): Promise<string> {
    const usual = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      target: "es2023",
      noEmit: true,
    };
    const settings = { compilerOptions: { ...usual, ...options }, include: ["*.ts"] };
    await this.write("tsconfig.json", JSON.stringify(settings));
    const files = (await readdir(this.folder)).filter((name) => name.endsWith(".ts"));
    const words = ["--allow", "all", "--type-aware", "--type-check", "--deny-warnings", "--no-ignore"];
    const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(PROJECT, "node_modules/.bin/tsgolint") };
    const oxlint = join(PROJECT, "node_modules/.bin/oxlint");
    const check = run(oxlint, [...words, ...files, "node_modules/@guildcal"], { cwd: this.folder, env });
    return check.then(
      () => "",
      ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr,
    );
  }

  /** Runs a program of the project, and returns its output. */
  async run(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout } = await run(process.execPath, [name], { cwd: this.folder, env });
    return stdout;
  }

  /** Starts a program of the project. `printed` waits for a text in its output, and returns it. */
  start(name: string, env: Readonly<Record<string, string>>): { readonly printed: (text: RegExp) => Promise<string> } {
    const child = spawn(process.execPath, [name], { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const printed = async (text: RegExp) => {
      const isPrinted = () => {
        if (child.exitCode !== null && !text.test(output)) throw new Error(`the program ended:\n${output}`);
        return text.test(output);
      };
      await until(isPrinted, `${String(text)} printed`, 40_000, 50);
      return text.exec(output)![0];
    };
    return { printed };
  }

  async end(): Promise<void> {
    for (const child of this.#started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
    await removeFolder(this.folder);
  }
}
