import { pageCursors } from "../../../mixins/actions/page-cursor.ts";
import { firstPage } from "../../../mixins/actions/page-entries.ts";
import { complete } from "../../../mixins/objects/complete.ts";
import type { ParamsOf } from "../../contracts/contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type {
  listMissedNotifications,
  MissedNotification,
  MissedState,
} from "../../contracts/occurrence-notifications.contract.ts";
import { DEFAULT_PAGE_ENTRIES, type Page } from "../../contracts/pages.ts";
import type { OccurrenceType } from "../../contracts/webhooks.contract.ts";
import type { Post } from "../domain/post/post.ts";
import { reasonCode } from "../domain/post/reason-code.ts";
import type { MissedNotificationsStore } from "../store/missed-notifications.store.ts";

const cursors = pageCursors<readonly [settledAt: EpochMs, id: string]>("missed notifications", [0, ""]);

/** A page of the missed notifications of a guild, latest first (D49, D59). An outcome is final, so an entry never changes its place. */
export async function missedNotificationsPage(
  store: MissedNotificationsStore,
  { guildId, limit = DEFAULT_PAGE_ENTRIES, cursor }: ParamsOf<typeof listMissedNotifications>,
): Promise<Page<MissedNotification> | Refusal> {
  const position = cursors.read(cursor);
  if (isRefusal(position)) return position;
  const behind = position === undefined ? undefined : { settledAt: position[0], id: position[1] };
  const posts = await store.listMissedBehind(guildId, behind, limit + 1);
  const idOf = new Map(posts.map((post) => [toMissedNotification(post), post.id]));
  return firstPage(idOf.keys(), limit, (missed) => cursors.write([missed.settledAt, idOf.get(missed) as string]));
}

/** A settled notification as other contexts see it. Its type takes the place of a channel, and it is due at the instant. */
function toMissedNotification(post: Post): MissedNotification {
  const { channel, occurrenceId, dueAt, state, settledAt = dueAt, reason = "no reason is stored" } = post;
  return complete<MissedNotification>()({
    type: channel as OccurrenceType,
    eventId: occurrenceId,
    occurredAt: dueAt,
    state: state as MissedState,
    settledAt,
    reason,
    reasonCode: reasonCode(post) ?? "OTHER",
  });
}
