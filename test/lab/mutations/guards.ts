import type { LabGuard, TestedGuard } from "./guard.ts";
import { BACKUP_GUARDS } from "./backup-guards.ts";
import { BUS_GUARDS } from "./bus-guards.ts";
import { CALENDAR_GUARDS } from "./calendar-guards.ts";
import { CHANGES_GUARDS } from "./changes-guards.ts";
import { CLEAN_UP_GUARDS } from "./clean-up-guards.ts";
import { CLIENT_GUARDS } from "./client-guards.ts";
import { CONSOLE_GUARDS } from "./console-guards.ts";
import { DATABASE_GUARDS } from "./database-guards.ts";
import { DIGEST_GUARDS } from "./digest-guards.ts";
import { DISCAL_GUARDS } from "./discal-guards.ts";
import { DISCORD_GUARDS } from "./discord-guards.ts";
import { DISPATCH_GUARDS } from "./dispatch-guards.ts";
import { DRAFT_GUARDS } from "./draft-guards.ts";
import { EDIT_GUARDS } from "./edit-guards.ts";
import { FEED_GUARDS } from "./feed-guards.ts";
import { FOLLOW_GUARDS } from "./follow-guards.ts";
import { HOSTILE_IMPORT_GUARDS } from "./hostile-import-guards.ts";
import { IMPORT_GUARDS } from "./import-guards.ts";
import { KEY_GUARDS } from "./key-guards.ts";
import { HOLIDAY_GUARDS } from "./holiday-guards.ts";
import { LAB_GUARDS } from "./lab-guards.ts";
import { OBSERVABILITY_GUARDS } from "./observability-guards.ts";
import { OBSERVANCE_GUARDS } from "./observance-guards.ts";
import { OFFSET_GUARDS } from "./offset-guards.ts";
import { PAGE_GUARDS } from "./page-guards.ts";
import { PAUSE_GUARDS } from "./pause-guards.ts";
import { PLANNING_GUARDS } from "./planning-guards.ts";
import { SHARED_PLANNING_GUARDS } from "./shared-planning-guards.ts";
import { SNAPSHOT_GUARDS } from "./snapshot-guards.ts";
import { PROCESS_GUARDS } from "./process-guards.ts";
import { LANGUAGE_GUARDS } from "./language-guards.ts";
import { REQUEST_GUARDS } from "./request-guards.ts";
import { RETRY_GUARDS } from "./retry-guards.ts";
import { REVISION_GUARDS } from "./revision-guards.ts";
import { SERIES_GUARDS } from "./series-guards.ts";
import { SERVER_GUARDS } from "./server-guards.ts";
import { SHARD_GUARDS } from "./shard-guards.ts";
import { NOTIFICATION_GUARDS } from "./notification-guards.ts";
import { TEMPLATE_GUARDS } from "./template-guards.ts";
import { TIMED_RULE_GUARDS } from "./timed-rule-guards.ts";
import { WAITING_GUARDS } from "./waiting-guards.ts";
import { WEBHOOK_GUARDS } from "./webhook-guards.ts";

/** The guards that `npm run mutations` removes one at a time, to show that a test fails. */
export const TESTED_GUARDS: readonly TestedGuard[] = [
  ...BACKUP_GUARDS,
  ...BUS_GUARDS,
  ...CALENDAR_GUARDS,
  ...CHANGES_GUARDS,
  ...CLEAN_UP_GUARDS,
  ...CLIENT_GUARDS,
  ...CONSOLE_GUARDS,
  ...DATABASE_GUARDS,
  ...DIGEST_GUARDS,
  ...DISCAL_GUARDS,
  ...DISCORD_GUARDS,
  ...DISPATCH_GUARDS,
  ...DRAFT_GUARDS,
  ...EDIT_GUARDS,
  ...FEED_GUARDS,
  ...FOLLOW_GUARDS,
  ...HOSTILE_IMPORT_GUARDS,
  ...IMPORT_GUARDS,
  ...KEY_GUARDS,
  ...LANGUAGE_GUARDS,
  ...OBSERVABILITY_GUARDS,
  ...OBSERVANCE_GUARDS,
  ...OFFSET_GUARDS,
  ...PAGE_GUARDS,
  ...HOLIDAY_GUARDS,
  ...PAUSE_GUARDS,
  ...PLANNING_GUARDS,
  ...SHARED_PLANNING_GUARDS,
  ...SNAPSHOT_GUARDS,
  ...PROCESS_GUARDS,
  ...REQUEST_GUARDS,
  ...RETRY_GUARDS,
  ...REVISION_GUARDS,
  ...SERIES_GUARDS,
  ...SERVER_GUARDS,
  ...SHARD_GUARDS,
  ...NOTIFICATION_GUARDS,
  ...TEMPLATE_GUARDS,
  ...TIMED_RULE_GUARDS,
  ...WAITING_GUARDS,
  ...WEBHOOK_GUARDS,
];

/** All guards that the lab removes. */
export const GUARDS: readonly LabGuard[] = [...TESTED_GUARDS, ...LAB_GUARDS];

/** The guards with these descriptions; throws for an unknown one. */
export function guardsNamed(names: readonly string[]): LabGuard[] {
  return names.map((name) => {
    const found = GUARDS.find(({ guard }) => guard === name);
    if (found === undefined) throw new Error(`no guard has the description: ${name}`);
    return found;
  });
}
