import { MAX_SUBSCRIBERS } from "../../contracts/announcement-fields.ts";
import type {
  Announcement,
  SubscriberChanges,
  UpdateAnnouncementParams,
} from "../../contracts/announcements.contract.ts";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";

export type Subscribers = Pick<Announcement, "subscribersRole" | "subscribersUser">;

/**
 * The lists of subscribers after an update: the given whole list, or else the stored one with entries added and
 * removed. Refuses added entries that make a list longer than 1000 (D26).
 */
export function changedSubscribers(stored: Subscribers, changes: UpdateAnnouncementParams): Subscribers | Refusal {
  const { subscribersRoleAdd, subscribersRoleRemove, subscribersUserAdd, subscribersUserRemove } = changes;
  const subscribersRole =
    changes.subscribersRole ?? changedSet(stored.subscribersRole, subscribersRoleAdd, subscribersRoleRemove);
  const subscribersUser =
    changes.subscribersUser ?? changedSet(stored.subscribersUser, subscribersUserAdd, subscribersUserRemove);
  const problems = [
    ...tooMany("subscribersRoleAdd", subscribersRoleAdd, subscribersRole),
    ...tooMany("subscribersUserAdd", subscribersUserAdd, subscribersUser),
  ];
  return problems.length > 0 ? refuse("TOO_MANY_SUBSCRIBERS", problems) : { subscribersRole, subscribersUser };
}

/** The stored entries without the removed ones, in their order, then the new ones. */
function changedSet(stored: readonly string[], add: readonly string[] = [], remove: readonly string[] = []) {
  if (add.length === 0 && remove.length === 0) return stored;
  const [isStored, isRemoved] = [new Set(stored), new Set(remove)];
  const added = [...new Set(add)].filter((entry) => !isStored.has(entry));
  return [...stored.filter((entry) => !isRemoved.has(entry)), ...added];
}

function tooMany(field: keyof SubscriberChanges, add: readonly string[] = [], after: readonly string[]) {
  if (add.length === 0 || after.length <= MAX_SUBSCRIBERS) return [];
  const message = `must not make the list longer than ${MAX_SUBSCRIBERS} entries`;
  return [{ field, code: "TOO_MANY", message }] satisfies FieldProblem[];
}

const SUBSCRIBER_CHANGES = new Set<string>([
  "subscribersRoleAdd",
  "subscribersRoleRemove",
  "subscribersUserAdd",
  "subscribersUserRemove",
] satisfies (keyof SubscriberChanges)[]);

/** The params that change nothing. */
const REFERENCE_PARAMS = new Set<string>(["guildId", "id", "ifRevision"]);

/** Whether an update adds or removes entries and does nothing else. */
export function changesOnlySubscribers(changes: UpdateAnnouncementParams): boolean {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const fields = given.map(([field]) => field).filter((field) => !REFERENCE_PARAMS.has(field));
  return fields.length > 0 && fields.every((field) => SUBSCRIBER_CHANGES.has(field));
}

export function isSameSubscribers(before: Subscribers, after: Subscribers): boolean {
  return (
    isSameList(before.subscribersRole, after.subscribersRole) &&
    isSameList(before.subscribersUser, after.subscribersUser)
  );
}

function isSameList(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((entry, at) => entry === after[at]);
}
