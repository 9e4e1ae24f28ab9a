import { readFileSync } from "node:fs";

/** Under npm one press of Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const ONE_PRESS_MS = 500;
const LOOK_FOR_NPM_MS = 500;

/**
 * Whether a signal is a second interrupt, by which the user ends the process without draining: it arrives later than the
 * copy of the first one that npm forwards. Times are in milliseconds; `askedAt` is the time of the first signal.
 */
export function isSecondInterrupt(askedAt: number, now: number): boolean {
  return now - askedAt > ONE_PRESS_MS;
}

/** Resolves on SIGINT (Ctrl-C), SIGTERM, SIGHUP, or when the parent process (a supervisor or npm) has ended. */
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
 * npm forwards SIGINT and SIGTERM. On SIGHUP and SIGKILL it ends at once and leaves its script running. If it has ended
 * before this call, another process is the parent already.
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
 * Whether a process is certainly not the package manager. The user agent begins with its name, as in `npm/11.2 node/…`;
 * Linux has the command line in /proc. False on systems without /proc.
 */
function isStranger(pid: number, userAgent = ""): boolean {
  const [manager = ""] = userAgent.split("/", 1);
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(manager);
  } catch {
    return false;
  }
}

/** The result of the work; undefined if a shutdown is requested first. Child processes end with this process then. */
export function unlessShutdown<T>(end: Promise<void>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, end.then(() => undefined)]);
}
