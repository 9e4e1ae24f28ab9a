import { readFileSync } from "node:fs";

/** One press of Ctrl-C arrives twice under npm: from the terminal, and from npm, which hands it on. */
const ONE_PRESS_MS = 500;
const LOOK_FOR_NPM_MS = 500;

/**
 * Whether a request to end comes from somebody who won't wait for the draining: it comes later than the same press of
 * Ctrl-C would. Times are milliseconds; `askedAt` is that of the first request.
 */
export function isSecondInterrupt(askedAt: number, now: number): boolean {
  return now - askedAt > ONE_PRESS_MS;
}

/** Resolves when the process is asked to end: by SIGINT (Ctrl-C), SIGTERM, SIGHUP, or the end of what started it. */
export function shutdownRequested(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = () => {
      if (askedAt !== undefined && isSecondInterrupt(askedAt, performance.now())) process.exit(1);
      askedAt ??= performance.now();
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
    const askOnce = () => {
      if (askedAt === undefined) ask();
    };
    process.on("disconnect", askOnce);
    whenNpmEnds(askOnce);
  });
}

/**
 * npm hands on SIGINT and SIGTERM; of SIGHUP and kill -9 it ends at once, and leaves its script to run on. It may have ended
 * before this process came so far: then another process is the parent already.
 */
function whenNpmEnds(ended: () => void): void {
  if (process.env["npm_lifecycle_script"]?.includes("services/launch/start.js") !== true) return;
  const parent = process.ppid;
  if (isStranger(parent, process.env["npm_config_user_agent"])) {
    ended();
    return;
  }
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    ended();
  }, LOOK_FOR_NPM_MS);
  look.unref();
}

/**
 * Whether a process is certainly not the package manager, whose name begins its user agent, as `npm/11.2 node/…`: Linux
 * tells the command of a process in /proc. Where it is not told, nobody is a stranger.
 */
function isStranger(pid: number, userAgent = ""): boolean {
  const [manager = ""] = userAgent.split("/", 1);
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(manager);
  } catch {
    return false;
  }
}

/** What the work comes to; undefined when the process is asked to end before. What was started then ends with it. */
export function unlessShutdown<T>(end: Promise<void>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, end.then(() => undefined)]);
}
