import { readFileSync } from "node:fs";

/** Under npm one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_INTERRUPT_MS = 500;
const NPM_CHECK_INTERVAL_MS = 500;

/**
 * Whether a signal is a second interrupt, with which the user ends the process without draining. It arrives later
 * than the copy of the first one that npm forwards. Times are in milliseconds.
 */
export function isSecondInterrupt(firstSignalAt: number, now: number): boolean {
  return now - firstSignalAt > SAME_INTERRUPT_MS;
}

/** Resolves on SIGINT (Ctrl-C), SIGTERM, SIGHUP, or when the parent process (a supervisor or npm) has ended. */
export function shutdownRequested(): Promise<void> {
  return new Promise((resolve) => {
    let firstSignalAt: number | undefined;
    const onSignal = () => {
      if (firstSignalAt !== undefined && isSecondInterrupt(firstSignalAt, performance.now())) process.exit(1);
      firstSignalAt ??= performance.now();
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
    const onParentEnd = () => {
      if (firstSignalAt === undefined) onSignal();
    };
    process.on("disconnect", onParentEnd);
    onNpmEnd(onParentEnd);
  });
}

/**
 * Calls `onEnd` when npm, the parent of this process, has ended. npm forwards SIGINT and SIGTERM, but on SIGHUP and SIGKILL
 * it ends and leaves its script running. If npm ended before this call, the parent is another process already.
 */
function onNpmEnd(onEnd: () => void): void {
  if (process.env["npm_lifecycle_script"]?.includes("services/launch/start.js") !== true) return;
  const parent = process.ppid;
  if (isOtherProgram(parent, process.env["npm_config_user_agent"])) {
    onEnd();
    return;
  }
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, NPM_CHECK_INTERVAL_MS);
  timer.unref();
}

/**
 * Whether a process is certainly not the package manager. The user agent begins with the name of the package manager,
 * as in `npm/11.2 node/…`; Linux shows the command line in /proc. False on systems without /proc.
 */
function isOtherProgram(pid: number, userAgent = ""): boolean {
  const [manager = ""] = userAgent.split("/", 1);
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(manager);
  } catch {
    return false;
  }
}

/** The result of the work; undefined if a shutdown is requested first. Child processes end with this process. */
export function unlessShutdown<T>(end: Promise<void>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, end.then(() => undefined)]);
}
