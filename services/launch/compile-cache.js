import module from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Keeps the stripped and compiled code of this process for the next start, which then takes half of the processor time. `npm ci`
 * removes the folder. If it can't be written, as in a container, Node reads what the image has, or compiles. An older Node has no
 * such function.
 */
module.enableCompileCache?.(fileURLToPath(new URL("../../node_modules/.cache/guildcal", import.meta.url)));
