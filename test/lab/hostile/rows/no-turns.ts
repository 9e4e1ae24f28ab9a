import type { SourceEdit } from "../../../real-parts/source-edit.ts";

/** Removes the limit on a guild's concurrent requests. */
export const NO_TURNS: SourceEdit = {
  file: "services/api/guild-slots.ts",
  text: "return running < (",
  without: "return running < Infinity || (0 <= ",
};
