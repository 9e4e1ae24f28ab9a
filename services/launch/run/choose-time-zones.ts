import { bundledZones } from "../../../mixins/time-zones/bundled-zones.ts";
import { setTimeZones } from "../../../mixins/time-zones/time-zones.ts";
import { readZoneFolder } from "../../../mixins/time-zones/zone-folder.ts";
import type { LaunchSettings } from "../launch.settings.ts";
import { StartupError } from "./startup-error.ts";

/** Uses the time zones of the folder in the settings; without one the bundled set stays. Throws StartupError. */
export function chooseTimeZones({ TZDATA_DIR: folder }: Pick<LaunchSettings, "TZDATA_DIR">): void {
  if (folder === undefined) return;
  try {
    setTimeZones(readZoneFolder(folder, bundledZones()));
  } catch (error) {
    throw new StartupError(`TZDATA_DIR: ${(error as Error).message}`);
  }
}
