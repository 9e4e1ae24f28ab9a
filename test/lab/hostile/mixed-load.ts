import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../harness/until.ts";
import type { Post } from "./post-client.ts";
import type { AttackCounts } from "./attackers-process.ts";
import type { LegitimateLoad, LegitimateOutcome } from "./legitimate-process.ts";
import { startProcess } from "./load-process.ts";
import { DuePosts } from "./posts.ts";
import type { Stage } from "./row.ts";
import { newStage, OPERATOR_KEY, startTarget } from "./stage.ts";

const CLIENTS = 8;
/** Used in turn, so that no key and no guild comes near its limit. */
const KEYS_PER_CLIENT = 5;
const PHASE_MS = 10_000;
const WARM_UP_MS = 4_000;
/** Time until the attackers' connections are open and too many of their keys have failed. */
const GATHER_MS = 3_000;
const POSTS = 40;
/** The guilds of the attackers' key, and of a key that is created during the attack. */
const ATTACKED_GUILD = "1001";
const NEW_GUILD = "1002";
const MIN_RATIO = 0.5;

async function ask<Outcome>(child: ChildProcess, message: object | string): Promise<Outcome> {
  const reply = once(child, "message");
  child.send(message);
  const [outcome] = (await reply) as [Outcome];
  return outcome;
}

interface Phase extends LegitimateOutcome {
  readonly lateness: readonly number[];
}

function phaseLine(name: string, { perSecond, p99, lateness }: Phase): string {
  const [median, max] = [lateness[Math.floor(lateness.length / 2)], lateness.at(-1)];
  return `${name.padEnd(18)} ${perSecond.toFixed(0).padStart(6)} requests/s, p99 ${p99.toFixed(1).padStart(6)} ms; ${lateness.length} posts, ${median} ms late, at most ${max} ms\n`;
}

/** A sentence for each promise that was broken. */
function broken(phases: readonly Phase[], ratio: number, newKeyStatus: number): string[] {
  const failures = phases.flatMap((phase) => phase.failures);
  const early = phases.flatMap(({ lateness }) => lateness).filter((late) => late < 0);
  return [
    ...(ratio < MIN_RATIO ? [`the throughput is less than ${MIN_RATIO} of the unloaded one`] : []),
    ...failures.map((failure) => `a legitimate request failed: ${failure}`),
    ...early.map((late) => `a post was ${-late} ms early`),
    ...(newKeyStatus === 200 ? [] : [`a key that was created during the attack got ${newKeyStatus}`]),
  ];
}

async function measure({ target: { port }, post, createKey }: Stage): Promise<string[]> {
  const legitimate = startProcess("legitimate-process.ts");
  const attackers = startProcess("attackers-process.ts");
  try {
    const made: { guild: string; key: string }[] = [];
    for (let guild = 1; guild <= CLIENTS * KEYS_PER_CLIENT; guild += 1) {
      made.push({ guild: String(guild), key: await createKey(String(guild)) });
    }
    const clients = Array.from({ length: CLIENTS }, (_, at) => made.filter((_key, of) => of % CLIENTS === at));
    const attackersKey = await createKey(ATTACKED_GUILD);
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
    stdout.write(phaseLine("unloaded", before));
    let newKeyStatus = 0;
    const attacked = await phase(
      async () => {
        attackers.send({ port, key: attackersKey, guild: ATTACKED_GUILD, perSecond: before.perSecond });
        await pause(GATHER_MS);
        await until(async () => (await read(post, attackersKey, ATTACKED_GUILD)) === 429, "the attackers are limited");
        newKeyStatus = await read(post, await createKey(NEW_GUILD), NEW_GUILD);
      },
      async () => {
        const done = await ask<AttackCounts>(attackers, "end");
        stdout.write(`attackers: ${JSON.stringify(done)}\n`);
      },
    );
    stdout.write(phaseLine("beside attackers", attacked));
    const after = await phase();
    stdout.write(phaseLine("unloaded again", after));
    const ratio = attacked.perSecond / ((before.perSecond + after.perSecond) / 2);
    stdout.write(`ratio ${ratio.toFixed(2)}\n`);
    return broken([before, attacked, after], ratio, newKeyStatus);
  } finally {
    for (const child of [legitimate, attackers]) if (child.connected) child.disconnect();
  }
}

async function read(post: Post, key: string, guild: string): Promise<number> {
  return (await post("/v2/guild/settings/get", key, JSON.stringify({ guild_id: guild }))).status;
}

/** Runs many kinds of attackers beside legitimate clients; returns a sentence for each promise that was broken. */
export async function runMixedLoad(mode: string): Promise<string[]> {
  const target = await startTarget({}, mode);
  const stage = newStage(target);
  try {
    return await measure(stage);
  } finally {
    stage.end();
    await target.stop();
  }
}
