import type { Color } from "../../../contracts/calendar-events.contract.ts";

/** Color of an embed's bar, 0xRRGGBB (D14). */
export const EMBED_COLORS: Readonly<Record<Color, number>> = {
  MELROSE: 0xa4bdfc,
  RIPTIDE: 0x7ae7bf,
  MAUVE: 0xdbadff,
  TANGERINE: 0xff887c,
  DANDELION: 0xfbd75b,
  MAC_AND_CHEESE: 0xffb878,
  TURQUOISE: 0x46d6db,
  MERCURY: 0xe1e1e1,
  BLUE: 0x5484ed,
  GREEN: 0x51b749,
  RED: 0xdc2127,
  NONE: 0x388aed,
};
