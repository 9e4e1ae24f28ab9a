import { findBrowser } from "../pictures/browser.ts";

/** Ends the run with the name of the package if there is no Chromium. */
export default function findChromium(): void {
  process.env["CHROMIUM"] = findBrowser(process.env);
}
