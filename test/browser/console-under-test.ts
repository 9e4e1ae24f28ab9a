import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";

export const OPERATOR_KEY = "operator-key-of-the-browser-tests";

/** Time within which the page has to show what a test waits for. A busy machine needs more. */
const ACTION_TIMEOUT_MS = Number(process.env["ACTION_TIMEOUT_MS"] ?? 30_000);

/** Errors of the browser's console that a refused request causes, and that are no error of the page. */
const REFUSED_REQUEST = /^Failed to load resource/;

type Json = Record<string, unknown>;

/** A guild of its own, and the requests for it. */
export interface Guild {
  readonly id: string;
  post(path: string, body?: Json): Promise<Json>;
  /** Creates an event; returns its id. */
  event(start: string, fields?: Json): Promise<string>;
}

/** The console in a tab of its own. */
export interface OpenConsole {
  readonly page: Page;
  /** Problems of the page so far: errors, breaches of its policy, outside requests. */
  readonly problems: readonly string[];
  readonly dialog: () => Locator;
  readonly button: (name: string | RegExp) => Locator;
  /** Opens a page by its location, such as `calendar/week/2026-11-25`. */
  readonly go: (location: string) => Promise<void>;
}

/** A service with the console, and a browser. */
export class ConsoleUnderTest {
  readonly baseUrl: string;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #browser: Browser;
  #service: GuildcalProcess;
  #guilds = 0;
  #open: OpenConsole[] = [];

  private constructor(folder: string, port: number, env: Readonly<Record<string, string>>, browser: Browser) {
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#env = { DATA_DIR: folder, PORT: String(port), API_KEY: OPERATOR_KEY, SINKS: "log", ...env };
    this.#browser = browser;
    this.#service = new GuildcalProcess("all", this.#env);
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ConsoleUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), "guildcal-browser-"));
    // The sandbox does not start for root, which is the user in containers. The pages are the project's own.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"]!, args });
    const started = new ConsoleUnderTest(folder, await freePort(0), env, browser);
    await started.#service.printed(/guildcal is ready/);
    return started;
  }

  async end(): Promise<void> {
    await this.#browser.close();
    await this.#service.end();
    await removeFolder(this.#folder);
  }

  /** Stops the service; `startAgain` starts it on the same port and data. */
  async stopService(): Promise<void> {
    await this.#service.end();
  }

  async startAgain(): Promise<void> {
    this.#service = new GuildcalProcess("all", this.#env);
    await this.#service.printed(/guildcal is ready/);
  }

  async newGuild(): Promise<Guild> {
    this.#guilds += 1;
    const id = String(375_357_265_198_000_000n + BigInt(this.#guilds));
    const send = async (path: string, body: Json = {}) => {
      const { status, body: response } = await post(this.baseUrl, OPERATOR_KEY, path, { guild_id: id, ...body });
      if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(response)}`);
      return response as Json;
    };
    return {
      id,
      post: send,
      async event(start, fields = {}) {
        const startsAt = Date.parse(start);
        const times = { epoch_start: startsAt, epoch_end: startsAt + 7_200_000 };
        const whole = fields["all_day"] === true ? {} : times;
        return String((await send("/v2/events/create", { calendar_number: 1, ...whole, ...fields }))["id"]);
      },
    };
  }

  /** Creates a key of the guild. */
  async newKey(guild: Guild, access: "read" | "write"): Promise<{ readonly id: string; readonly key: string }> {
    const { body } = await post(this.baseUrl, OPERATOR_KEY, "/admin/keys/create", {
      kind: "guild",
      access,
      guilds: [guild.id],
      label: "of a browser test",
    });
    return { id: String(body["id"]), key: String(body["key"]) };
  }

  async revokeKey(id: string): Promise<void> {
    await post(this.baseUrl, OPERATOR_KEY, "/admin/keys/revoke", { id });
  }

  /** Opens the page without a session. */
  async openPage(options: BrowserContextOptions = {}): Promise<OpenConsole> {
    const context = await this.#browser.newContext({
      viewport: { width: 1100, height: 800 },
      timezoneId: "UTC",
      locale: "en-GB",
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error.stack)));
    page.on("dialog", (dialog) => problems.push(`a dialog of a script: ${dialog.message()}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !REFUSED_REQUEST.test(message.text())) problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(this.baseUrl)) problems.push(`a request to ${request.url()}`);
    });
    await page.goto(`${this.baseUrl}/console`);
    const opened: OpenConsole = {
      page,
      problems,
      dialog: () => page.locator("dialog").last(),
      button: (name) => page.getByRole("button", { name }),
      go: async (location) => {
        await page.evaluate((hash) => void (globalThis.location.hash = hash), location);
      },
    };
    this.#open.push(opened);
    return opened;
  }

  /** Opens the console of a guild; signs in with the operator's key, or with another one. */
  async open(guild: Guild, { key = OPERATOR_KEY, ...options }: BrowserContextOptions & { key?: string } = {}) {
    const opened = await this.openPage(options);
    await signIn(opened.page, key, guild.id);
    await opened.page.getByRole("navigation").waitFor();
    return opened;
  }

  /** Closes the pages of a test; rejects with their problems. */
  async closePages(): Promise<void> {
    const opened = this.#open;
    this.#open = [];
    const folder = process.env["SCREENSHOTS"];
    for (const { page } of opened) {
      if (folder !== undefined) await page.screenshot({ path: join(folder, `page-${Date.now()}.png`) });
      await page.context().close();
    }
    const problems = opened.flatMap((each) => each.problems);
    if (problems.length > 0) throw new Error(`The page has problems: ${problems.join("\n")}`);
  }
}

export async function signIn(page: Page, key: string, guild: string): Promise<void> {
  await page.locator('input[name="key"]').fill(key);
  await page.locator('input[name="guild_id"]').fill(guild);
  await page.locator('button[type="submit"]').click();
}
