import { integerSetting, type Setting } from "../../mixins/settings/environment.ts";
import { type ConfiguredSinkName, SINK_NAMES } from "./domain/post/sink-name.ts";

/** Where posts go (D34). */
const sinksSetting: Setting<readonly ConfiguredSinkName[]> = {
  about: `Sinks to which announcements are posted: ${SINK_NAMES.join(", ")}, several separated by commas`,
  defaultText: "log",
  expects: `one or more of ${SINK_NAMES.join(", ")}, separated by commas`,
  parse(text) {
    const names = text.split(",").map((name) => SINK_NAMES.find((sink) => sink === name.trim().toLowerCase()));
    return names.includes(undefined) ? undefined : [...new Set(names as ConfiguredSinkName[])];
  },
};

/** The settings of dispatch; each sink has its own. */
export const dispatchSettings = {
  SINKS: sinksSetting,
  GRACE_MINUTES: integerSetting("Maximum lateness of a post, in minutes (D30)", 15, 1, 1440),
};
