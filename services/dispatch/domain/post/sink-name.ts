/** The sinks, by their names in the ledger (D34). */
export const SINK_NAMES = ["log", "discord", "webhook"] as const;
export type ConfiguredSinkName = (typeof SINK_NAMES)[number];
/** The sink of the notifications of occurrences, which have a ledger of their own (D59). */
export const NOTIFICATION_SINK = "notification";
export type SinkName = ConfiguredSinkName | typeof NOTIFICATION_SINK;
