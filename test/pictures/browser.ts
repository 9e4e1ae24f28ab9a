import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const MISSING = `No browser was found. Install Chromium (Debian: apt-get install chromium-headless-shell), or set
CHROMIUM to the path of one. These names are looked up in PATH: ${NAMES.join(", ")}.`;

/** A page, and the size of its picture in pixels. */
interface Picture {
  readonly url: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
}

/** The path of an installed Chromium; throws an error with the package to install. */
export function findBrowser(env: Readonly<Record<string, string | undefined>>): string {
  const { CHROMIUM, PATH = "" } = env;
  if (CHROMIUM !== undefined) return CHROMIUM;
  const candidates = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(MISSING);
  return found;
}

/** Writes a PNG of the upper left part of a page. */
export async function takePicture(browser: string, { url, file, width, height }: Picture): Promise<void> {
  // The sandbox does not start for root, which is the user in containers. The pages are the project's own.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  await run(browser, [
    "--headless",
    ...sandbox,
    "--hide-scrollbars",
    `--window-size=${width},${height}`,
    // The page's timers advance by this time in milliseconds, so that its scripts have rendered everything.
    "--virtual-time-budget=10000",
    `--screenshot=${file}`,
    url,
  ]);
}
