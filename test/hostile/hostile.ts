import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { argv, stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../services/launch/embedded-mongod.ts";
import { Launched } from "../real-parts/launched.ts";
import { until } from "../real-parts/until.ts";
import { asker, type Post } from "./asker.ts";
import type { Attacked } from "./attackers-process.ts";
import type { LegitimateLoad, LegitimateOutcome } from "./legitimate-process.ts";
import { DuePosts } from "./posts.ts";

const OPERATOR_KEY = "operator-key-of-the-hostile-load";
const CLIENTS = 8;
/** By turns, so that no key and no guild comes near its limit. */
const KEYS_PER_CLIENT = 5;
const PHASE_MS = 10_000;
const WARM_UP_MS = 4_000;
/** Until the attackers' connections are there, and too many of their keys have failed. */
const GATHER_MS = 3_000;
const POSTS = 40;
/** Of a key that was made for the attackers, and of one that is made while they attack. */
const ATTACKED_GUILD = "1001";
const NEW_GUILD = "1002";
const LEAST_RATIO = 0.5;

async function makeKey(post: Post, guild: string): Promise<string> {
  const key = { kind: "guild", guilds: [guild], access: "write", label: "hostile load" };
  const { text } = await post("/admin/keys/create", OPERATOR_KEY, JSON.stringify(key));
  return String((JSON.parse(text) as { key: unknown }).key);
}

function processOf(script: string): ChildProcess {
  return fork(join(import.meta.dirname, script), [], { execArgv: ["--disable-proto=delete"], stdio: "inherit" });
}

async function ask<Outcome>(child: ChildProcess, message: object | string): Promise<Outcome> {
  const answered = once(child, "message");
  child.send(message);
  const [outcome] = (await answered) as [Outcome];
  return outcome;
}

interface Phase extends LegitimateOutcome {
  readonly lateness: readonly number[];
}

function told(name: string, { perSecond, p99, lateness }: Phase): string {
  const [median, most] = [lateness[Math.floor(lateness.length / 2)], lateness.at(-1)];
  return `${name.padEnd(18)} ${perSecond.toFixed(0).padStart(6)} requests/s, p99 ${p99.toFixed(1).padStart(6)} ms; ${lateness.length} posts, ${median} ms late, at most ${most} ms\n`;
}

/** What is promised and does not hold, in words. */
function broken(phases: readonly Phase[], ratio: number, newKeyStatus: number): string[] {
  const failures = phases.flatMap((phase) => phase.failures);
  const early = phases.flatMap(({ lateness }) => lateness).filter((late) => late < 0);
  return [
    ...(ratio < LEAST_RATIO ? [`the throughput is less than ${LEAST_RATIO} of the unloaded one`] : []),
    ...failures.map((failure) => `a legitimate request failed: ${failure}`),
    ...early.map((late) => `a post was ${-late} ms early`),
    ...(newKeyStatus === 200 ? [] : [`a key that was made during the attack was answered with ${newKeyStatus}`]),
  ];
}

async function measure(port: number): Promise<string[]> {
  const { post, end } = asker(port, 4);
  const legitimate = processOf("legitimate-process.ts");
  const attackers = processOf("attackers-process.ts");
  try {
    const made: { guild: string; key: string }[] = [];
    for (let guild = 1; guild <= CLIENTS * KEYS_PER_CLIENT; guild += 1) {
      made.push({ guild: String(guild), key: await makeKey(post, String(guild)) });
    }
    const clients = Array.from({ length: CLIENTS }, (_, at) => made.filter((_key, of) => of % CLIENTS === at));
    const attackersKey = await makeKey(post, ATTACKED_GUILD);
    const posts = new DuePosts(post, OPERATOR_KEY);
    await posts.announce();

    const load: LegitimateLoad = { port, clients, forMs: PHASE_MS };
    const phase = async (gather = async () => {}, disperse = async () => {}): Promise<Phase> => {
      const from = await posts.plan(POSTS, PHASE_MS);
      await gather();
      await pause(Math.max(0, from - Date.now()));
      const outcome = await ask<LegitimateOutcome>(legitimate, load);
      await disperse();
      return { ...outcome, lateness: await posts.lateness(from, PHASE_MS) };
    };

    await ask(legitimate, { ...load, forMs: WARM_UP_MS });
    const before = await phase();
    stdout.write(told("unloaded", before));
    let newKeyStatus = 0;
    const attacked = await phase(
      async () => {
        attackers.send({ port, key: attackersKey, guild: ATTACKED_GUILD, perSecond: before.perSecond });
        await pause(GATHER_MS);
        await until(async () => (await read(post, attackersKey, ATTACKED_GUILD)) === 429, "the attackers are limited");
        newKeyStatus = await newKey(post);
      },
      async () => {
        const done = await ask<Attacked>(attackers, "end");
        stdout.write(`attackers: ${JSON.stringify(done)}\n`);
      },
    );
    stdout.write(told("beside attackers", attacked));
    const after = await phase();
    stdout.write(told("unloaded again", after));
    const ratio = attacked.perSecond / ((before.perSecond + after.perSecond) / 2);
    stdout.write(`ratio ${ratio.toFixed(2)}\n`);
    return broken([before, attacked, after], ratio, newKeyStatus);
  } finally {
    for (const child of [legitimate, attackers]) if (child.connected) child.disconnect();
    end();
  }
}

async function read(post: Post, key: string, guild: string): Promise<number> {
  return (await post("/v2/guild/settings/get", key, JSON.stringify({ guild_id: guild }))).status;
}

/** The status that a key gets which no gateway has seen before. */
async function newKey(post: Post): Promise<number> {
  return await read(post, await makeKey(post, NEW_GUILD), NEW_GUILD);
}

async function main(mode: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-hostile-"));
  const port = await freePort(0);
  const service = new Launched(mode, { DATA_DIR: directory, PORT: String(port), API_KEY: OPERATOR_KEY });
  try {
    await service.printed(/guildcal is ready/);
    const problems = await measure(port);
    for (const problem of problems) stdout.write(`${problem}\n`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    await service.end();
    await rm(directory, { recursive: true, force: true });
  }
}

await main(argv[2] ?? "all");
