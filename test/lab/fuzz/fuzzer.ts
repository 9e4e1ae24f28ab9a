import * as fc from "fast-check";
import { anyCalendar } from "./any-calendar.ts";
import { anyStep, type KeyName, GUILDS, KEY_NAMES, type Picked, type Step } from "./any-step.ts";

/** The server under test, and the keys of the fuzzer. */
export interface FuzzTarget {
  readonly baseUrl: string;
  readonly keys: Readonly<Record<KeyName, string>>;
}

interface FuzzResponse {
  readonly status: number;
  readonly text: string;
}

/** The only guild whose records each key may read; undefined for keys that may read all. */
const GUILD_OF: Partial<Record<KeyName, string>> = {
  "guild 0": GUILDS[0],
  "guild 1": GUILDS[1],
  "reader of guild 0": GUILDS[0],
};

/** A mark in every text of a guild, by which a text in another guild's response is found. */
function markOf(guild: string): string {
  return `of-${guild}!`;
}

const MARKED = new Set(["name", "description", "location", "info"]);
const CONCURRENCY = 10;

/** Sends the requests of the steps and checks every response; throws at the first that breaks a promise. */
export class Fuzzer {
  readonly #target: FuzzTarget;
  /** The ids of created records, by the path that created them. */
  readonly #made = new Map<string, string[]>();
  readonly #statuses = new Map<number, number>();
  sent = 0;

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** Number of responses by status. */
  get statuses(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#statuses].toSorted(([one], [other]) => one - other));
  }

  /** Sends approximately `requests` requests, which the seed determines. */
  async run(requests: number, seed: number): Promise<void> {
    const runs = Math.ceil(requests / (4 * CONCURRENCY));
    const steps = fc.array(anyStep, { minLength: 4 * CONCURRENCY, maxLength: 4 * CONCURRENCY });
    await fc.assert(
      fc.asyncProperty(steps, anyImport, async (all, imported) => {
        await this.#import(imported);
        for (let at = 0; at < all.length; at += CONCURRENCY) {
          await Promise.all(all.slice(at, at + CONCURRENCY).map((step) => this.#perform(step)));
        }
      }),
      {
        seed,
        numRuns: runs,
        // No shrinking: a smaller case would run on another state.
        endOnFailure: true,
      },
    );
  }

  async #perform(step: Step): Promise<void> {
    const body = step.raw ?? JSON.stringify(this.#bodyOf(step));
    const reply = await this.#ask(step, body);
    this.sent += 1;
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    const breach = breachOf(step, reply);
    if (breach !== undefined) {
      throw new Error(
        `${breach}\n${step.keyName} ${step.endpoint.path} ${body.slice(0, 2_000)}\n${reply.status} ${reply.text.slice(0, 2_000)}`,
      );
    }
    this.#remember(step, reply);
  }

  /** Imports a calendar, which shares guilds with the steps; the answer is of the API document, and never a 5xx. */
  async #import({ body, keyName, guild, dryRun }: ImportStep): Promise<void> {
    const path = "/v2/calendar/import";
    const query = `guild_id=${guild}&calendar_number=1&dry_run=${dryRun}`;
    const response = await fetch(`${this.#target.baseUrl}${path}?${query}`, {
      method: "POST",
      headers: { authorization: this.#target.keys[keyName], "content-type": "text/calendar" },
      body: body.toWellFormed(),
      signal: AbortSignal.timeout(20_000),
    });
    const reply = { status: response.status, text: await response.text() };
    this.sent += 1;
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    const fields = { guild_id: {}, calendar_number: {}, dry_run: {} };
    const endpoint = { path, request: { properties: fields }, example: {} } as Step["endpoint"];
    const breach = breachOf({ keyName, endpoint }, reply) ?? importBreach(reply);
    if (breach === undefined) return;
    throw new Error(
      `${breach}\n${keyName} ${query}\n${body.slice(0, 5_000)}\n${reply.status} ${reply.text.slice(0, 2_000)}`,
    );
  }

  async #ask({ endpoint, keyName, named, ifMatch }: Step, body: string): Promise<FuzzResponse> {
    const response = await fetch(this.#target.baseUrl + endpoint.path, {
      method: "POST",
      headers: {
        authorization: this.#target.keys[keyName],
        "content-type": "application/json",
        ...(named === null ? {} : { "idempotency-key": named }),
        ...(ifMatch === null ? {} : { "if-match": ifMatch }),
      },
      body,
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, text: await response.text() };
  }

  #bodyOf({ body, endpoint }: Step): Record<string, unknown> {
    const guild = String(body["guild_id"]);
    const entries = Object.entries(body).map(([name, value]) => {
      if (isPicked(value)) return [name, this.#pick(endpoint.path, name, value)];
      return [name, MARKED.has(name) && typeof value === "string" ? markOf(guild) + value : value];
    });
    return Object.fromEntries(entries) as Record<string, unknown>;
  }

  #pick(path: string, name: string, { picked }: Picked): string {
    const maker = name === "event_id" ? "/v2/events/create" : path.replace(/[a-z]+$/, "create");
    const ids = this.#made.get(maker) ?? [];
    return ids[picked % Math.max(1, ids.length)] ?? "nobody";
  }

  #remember({ endpoint: { path } }: Step, { status, text }: FuzzResponse): void {
    if (status !== 200 || !path.endsWith("/create")) return;
    const ids = this.#made.get(path) ?? [];
    ids.push(String((JSON.parse(text) as { id: unknown }).id));
    // The latest records are the most likely to exist still.
    this.#made.set(path, ids.slice(-200));
  }
}

/** A request for an import. */
interface ImportStep {
  readonly body: string;
  readonly keyName: KeyName;
  readonly guild: string;
  readonly dryRun: boolean;
}

const anyImport: fc.Arbitrary<ImportStep> = fc.record({
  body: anyCalendar,
  keyName: fc.constantFrom(...KEY_NAMES),
  guild: fc.constantFrom(...GUILDS),
  dryRun: fc.boolean(),
});

/** An import that is complete has an outcome for each VEVENT, and a reason for each that it skipped. */
function importBreach({ status, text }: FuzzResponse): string | undefined {
  if (status !== 200) return undefined;
  const { complete, skipped, report } = JSON.parse(text) as {
    readonly complete: boolean;
    readonly skipped: number;
    readonly report: readonly { readonly outcome: string }[];
  };
  if (!complete) return "an import of few events that is not complete";
  const named = report.filter(({ outcome }) => outcome === "skipped").length;
  return named === skipped ? undefined : "a skipped VEVENT without a reason";
}

/** The promise that a response breaks; undefined if it breaks none. */
export function breachOf(
  { keyName, endpoint }: Pick<Step, "keyName" | "endpoint">,
  { status, text }: FuzzResponse,
): string | undefined {
  if (status >= 500) return "a 5xx";
  const own = GUILD_OF[keyName];
  const foreign = own === undefined ? undefined : GUILDS.find((guild) => guild !== own && text.includes(markOf(guild)));
  if (foreign !== undefined) return `a text of the guild ${foreign}`;
  if (status === 200) return undefined;
  const {
    code,
    request_id: id,
    errors = [],
  } = JSON.parse(text) as {
    code?: unknown;
    request_id?: unknown;
    errors?: readonly { readonly field: string }[];
  };
  if (typeof code !== "string" || typeof id !== "string") return "an error without its code or request id";
  if (code === "INVALID_REQUEST" && errors.length === 0) return "a 400 without a field";
  const known = new Set(["body", "Idempotency-Key", "If-Match", ...Object.keys(endpoint.request.properties ?? {})]);
  const unknown = errors.find(({ field }) => !known.has(field.split(/[.[]/, 1)[0] ?? ""));
  return unknown === undefined ? undefined : `a 400 with a field that the request does not have: ${unknown.field}`;
}

function isPicked(value: unknown): value is Picked {
  return typeof value === "object" && value !== null && "picked" in value;
}
