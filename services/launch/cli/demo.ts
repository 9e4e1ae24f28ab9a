import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shutdownRequested, unlessShutdown } from "../run/shutdown-signals.ts";
import { startInOneProcess } from "../run/modes.ts";
import { readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { pollUntil } from "../poll-until.ts";
import { parseArguments } from "./arguments.ts";
import { fillDemoGuild } from "./demo-guild.ts";

type Json = Record<string, unknown>;

const GUILD = "375357265198317579";
/** A guild of its own, so that its history has no post of the demonstration. */
const FILLED_GUILD = "375357265198317581";
const LEAD_MINUTES = 1;
/** Time from the request that creates the event to the first due time of its post. */
const DUE_IN_MS = 15_000;
/** Time by which the event is moved. */
const MOVED_BY_MS = 4_000;
const TIMEOUT_MS = 60_000;

const USAGE = "npm run demo [-- --keep]";

/**
 * `npm run demo`: shows an announcement from create to post, on the service that runs on PORT. Without a running service the
 * command starts one on temporary data, or on the data of MONGO_URL. With `--keep` the started service gets a guild to look
 * at, and runs until Ctrl-C.
 */
export async function runDemo(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { keep = false } = parseArguments(args, { keep: { type: "boolean" } }, USAGE).values;
  const { PORT, HOST, API_KEY } = readSettings(env);
  const running = `http://${HOST}:${PORT}`;
  if (await isGuildcal(running)) {
    if (keep) throw new StartupError(`guildcal runs on ${running}: --keep fills only a service that the demo starts`);
    if (API_KEY === undefined) throw new StartupError(`guildcal runs on ${running}: set API_KEY to a key of it`);
    await demonstrate(running, API_KEY);
    print(`The console: ${running}/console`);
    return;
  }
  const directory = await mkdtemp(join(tmpdir(), "guildcal-demo-"));
  const end = shutdownRequested();
  const service = await startInOneProcess({ ...env, DATA_DIR: directory, PORT: "0", HOST: "127.0.0.1", API_KEY: "" });
  try {
    const { baseUrl, firstKey = "" } = service;
    await unlessShutdown(end, demonstrate(baseUrl, firstKey));
    if (keep) await unlessShutdown(end, fillGuild(baseUrl, firstKey));
    else print("npm run demo -- --keep starts a service with a guild to look at in the console.");
    if (keep) await end;
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function fillGuild(baseUrl: string, key: string): Promise<void> {
  print("5. A guild to look at.");
  await silently(() =>
    fillDemoGuild((path, body) => request(baseUrl, key, path, { guild_id: FILLED_GUILD, ...body }), Date.now()),
  );
  print(`The console: ${baseUrl}/console
  API key   ${key}
  guild     ${FILLED_GUILD}
Look at the timeline: the post of "Boss rush" is sent within a minute; others say why they are not sent.
Ctrl-C ends the service and removes its data.`);
}

async function isGuildcal(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}

async function demonstrate(baseUrl: string, key: string): Promise<void> {
  const post = (path: string, body: Json) => request(baseUrl, key, path, { guild_id: GUILD, ...body });
  print("1. An event a little more than a minute ahead.");
  const start = Date.now() + LEAD_MINUTES * 60_000 + DUE_IN_MS;
  const created = await post("/v2/events/create", {
    calendar_number: 1,
    epoch_start: start,
    epoch_end: start + 3_600_000,
    name: "Raid night",
    location: "The usual place",
    color: "TURQUOISE",
  });
  const eventId = String(created["id"]);

  print(`2. An announcement ${LEAD_MINUTES} minute before it: due in ${DUE_IN_MS / 1000} seconds.`);
  const announced = await post("/v1/announcement/create", {
    channel: "375357265198317580",
    type: "SPECIFIC",
    event_id: eventId,
    hours: 0,
    minutes: LEAD_MINUTES,
    info: "Bring snacks",
    subscribers_role: ["everyone"],
  });
  const id = String(announced["id"]);
  await printUpcoming(post, id, start - LEAD_MINUTES * 60_000);

  const moved = start + MOVED_BY_MS;
  print(`3. The event moves by ${MOVED_BY_MS / 1000} seconds, and the fire time follows.`);
  await post("/v2/events/update", { calendar_number: 1, event_id: eventId, epoch_start: moved });
  await printUpcoming(post, id, moved - LEAD_MINUTES * 60_000);

  print("4. Now wait for it …");
  const outcome = await untilPosted(post, id);
  print(`Posted ${String(outcome["late_ms"])} ms after it was due, as message ${String(outcome["message_id"])}.`);
  await post("/v1/announcement/delete", { id });
  await post("/v2/events/delete", { calendar_number: 1, event_id: eventId });
}

type Post = (path: string, body: Json) => Promise<Json>;

/** Prints the plan when it has the expected due time. */
async function printUpcoming(post: Post, id: string, due: number): Promise<void> {
  const find = (response: Json) => (response["posts"] as Json[]).find((each) => each["announcement_id"] === id);
  const send = () => post("/v1/announcement/upcoming", { amount: -1 });
  await eventually(send, (response) => find(response)?.["due"] === due, `the plan of ${new Date(due).toISOString()}`);
}

/** Waits for the outcome of the post at its new time. The history also has the post that the move cancelled. */
async function untilPosted(post: Post, id: string): Promise<Json> {
  const find = (response: Json) => (response["posts"] as Json[]).find(({ state }) => state !== "cancelled");
  const send = () => post("/v1/announcement/history", { id, amount: 2 });
  const response = await eventually(send, (each) => find(each) !== undefined, "the post", 500);
  const outcome = find(response) as Json;
  if (outcome["state"] !== "sent") throw new StartupError(`It was not posted: ${String(outcome["reason"])}`);
  return outcome;
}

/** Repeats a request without output until the response is as expected; then sends it once more, and prints that response. */
async function eventually(
  send: () => Promise<Json>,
  expected: (response: Json) => boolean,
  what: string,
  everyMs = 100,
): Promise<Json> {
  const timeoutError = () => new StartupError(`${what} did not come within ${TIMEOUT_MS / 1000} seconds`);
  const isExpected = async () => expected(await silently(send));
  await pollUntil(isExpected, { everyMs, timeoutMs: TIMEOUT_MS, timeoutError });
  return send();
}

let isSilent = false;

async function silently<T>(work: () => Promise<T>): Promise<T> {
  isSilent = true;
  try {
    return await work();
  } finally {
    isSilent = false;
  }
}

function print(line: string): void {
  if (!isSilent) process.stdout.write(`\n${line}\n`);
}

async function request(baseUrl: string, key: string, path: string, body: Json): Promise<Json> {
  const text = JSON.stringify(body);
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: key, "Content-Type": "application/json" },
    body: text,
    signal: AbortSignal.timeout(10_000),
  });
  const responseBody = (await response.json()) as Json;
  if (!isSilent)
    process.stdout.write(`  POST ${path}\n    ${text}\n  ${response.status}\n    ${JSON.stringify(responseBody)}\n`);
  if (!response.ok) throw new StartupError(`${path} returned ${response.status}: ${String(responseBody["message"])}`);
  return responseBody;
}
