import type { SourceEdit } from "../../real-parts/source-edit.ts";

/** Takes out how many requests of one guild are under way at once. */
export const NO_TURNS: SourceEdit = {
  file: "services/api/guild-slots.ts",
  text: "return underWay < (",
  without: "return underWay < Infinity || (0 <= ",
};
