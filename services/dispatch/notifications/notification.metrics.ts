import { Histogram } from "prom-client";
import type { Post } from "../domain/post/post.ts";
import { newCounterFromZero } from "../../../mixins/observability/counter-from-zero.ts";

const registers: [] = [];

const settled = newCounterFromZero(
  {
    name: "guildcal_occurrence_notifications_settled_total",
    help: "Notifications of started and ended occurrences that this process settled, by outcome. Those of the first minute of the process are counted after it",
    labelNames: ["state"],
  },
  ["sent", "missed", "failed", "unknown"].map((state) => ({ state })),
);

const lateness = new Histogram({
  name: "guildcal_occurrence_notification_lateness_seconds",
  help: "Time from the start or end of an occurrence until the deliveries to its webhooks are stored",
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  registers,
});

/** Exported with the metrics of dispatch. */
export const NOTIFICATION_METRICS = [settled.metric, lateness] as const;

export function countNotification({ state, lateMs }: Pick<Post, "state" | "lateMs">): void {
  settled.inc({ state });
  if (lateMs !== undefined) lateness.observe(lateMs / 1000);
}
