/** The sinks, by their names in the ledger (D34). */
export const SINK_NAMES = ["log", "discord", "webhook"] as const;
export type SinkName = (typeof SINK_NAMES)[number];
