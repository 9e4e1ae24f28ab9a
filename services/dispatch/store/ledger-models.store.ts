import type { Connection, Model, Schema } from "mongoose";
import {
  type FeedMarkRow,
  feedMarkSchema,
  type GuildPlanRow,
  guildPlanSchema,
  type SourceRow,
  sourceSchema,
} from "./guild-plan.document.ts";
import { notificationSchema, type PostRow, postSchema } from "./post.document.ts";

/** A plan and ledger: the posts of announcements, or the notifications of occurrences (D59). */
export type Ledger = "announcements" | "notifications";

/** The collections of a ledger, by their schemas. */
interface LedgerModels {
  readonly posts: Model<PostRow>;
  readonly plans: Model<GuildPlanRow>;
  readonly sources: Model<SourceRow>;
  readonly marks: Model<FeedMarkRow>;
}

/** Notifications are stored as posts are, in collections of their own: posts keep their bounds, lists and changes. */
const NOTIFICATIONS = {
  posts: { collection: "notifications" },
  plans: { collection: "notification_plans" },
  sources: { collection: "notification_sources" },
  marks: { collection: "notification_feed_marks" },
} as const;

export function ledgerModels(connection: Connection, ledger: Ledger): LedgerModels {
  function model<Row>(name: string, schema: Schema<Row>, of: keyof typeof NOTIFICATIONS): Model<Row> {
    if (ledger === "announcements") return connection.model<Row>(name, schema);
    return connection.model<Row>(`Notification${name}`, schema, NOTIFICATIONS[of].collection);
  }
  return {
    posts: model("Post", ledger === "notifications" ? notificationSchema : postSchema, "posts"),
    plans: model("GuildPlan", guildPlanSchema, "plans"),
    sources: model("PlanSource", sourceSchema, "sources"),
    marks: model("FeedMark", feedMarkSchema, "marks"),
  };
}
