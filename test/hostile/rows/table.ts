import type { HostileRow } from "../row.ts";
import { FLOOD_OF_ONE_KEY } from "./flood-of-one-key.ts";

export const ROWS: readonly HostileRow[] = [FLOOD_OF_ONE_KEY];
