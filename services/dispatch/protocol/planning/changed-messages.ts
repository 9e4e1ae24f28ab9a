import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { followsMessages, type MessageState, withStep } from "../../domain/post/message-state.ts";
import { readShownOccurrence, stateFingerprint } from "../delivery/followed-state.ts";
import type { FollowedPost } from "../delivery/step-writes.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Concurrent reads; an occurrence has 7 kB at most. */
const OCCURRENCES_PER_READ = 20;
/** Messages beyond the limit that one plan drops. */
const MAX_DROPPED = 500;

/**
 * Compares the messages of a guild that are edited (D67) or deleted later (D68) with the state that a plan was made from, and makes a
 * step due for each that shows another state. A step that is due and not under way reads the state later than this plan did.
 *
 * @param readSettings - Called if the guild has such a message.
 */
export async function requestChangedMessages(
  { store, owners, clock }: Pick<Ports, "store" | "owners" | "clock">,
  { maxEditedMessages }: Pick<Timing, "maxEditedMessages">,
  guildId: GuildId,
  announcements: readonly AnnouncementRule[],
  readSettings: () => Promise<GuildSettings>,
): Promise<void> {
  const rules = new Map(announcements.filter(followsMessages).map((rule) => [rule.id, rule]));
  if (rules.size === 0) return;
  const now = clock.now();
  const rows = await store.editedPosts(guildId, now, maxEditedMessages + MAX_DROPPED);
  const edited = rows.filter(({ message }) => message !== undefined) as FollowedPost[];
  if (edited.length === 0) return;
  const settings = await readSettings();
  const followed = edited.slice(0, maxEditedMessages).filter(({ announcementId }) => rules.has(announcementId));
  const waiting = followed.filter((post) => !readsSoon(post, now));
  const occurrences = await shownOccurrences(owners, guildId, waiting);
  const changed = waiting.filter(({ announcementId, message }) => {
    const rule = rules.get(announcementId) as AnnouncementRule;
    return stateFingerprint(rule, occurrences.get(occurrenceKey(message)) ?? null, settings) !== message.state;
  });
  if (changed.length > 0) {
    await store.requestSteps(
      guildId,
      changed.map(({ id }) => id),
    );
  }
  for (const post of edited.slice(maxEditedMessages)) await drop(post);

  /** A message whose step is under way is dropped by a later plan. */
  async function drop(post: FollowedPost): Promise<void> {
    if (post.owner !== undefined) return;
    const reason = `the guild has more than ${maxEditedMessages} edited messages`;
    const steps = withStep(post.steps, { step: "DROPPED", at: clock.now(), reason });
    await store.write(post, { message: undefined, stepDue: undefined, steps });
  }
}

/** Whether a step that is due will read the state soon. One that waits for the instant of a deletion reads it only then. */
function readsSoon({ stepDue, owner, wakeAt, message: { deleteAt = 0, until } }: FollowedPost, now: EpochMs): boolean {
  const waitsForDeletion = deleteAt > now && wakeAt >= Math.min(deleteAt, until);
  return stepDue === true && owner === undefined && !waitsForDeletion;
}

/** The occurrences that the messages show, by `occurrenceKey`; without those that do not exist any more. */
async function shownOccurrences(
  owners: Ports["owners"],
  guildId: GuildId,
  posts: readonly FollowedPost[],
): Promise<ReadonlyMap<string, Occurrence>> {
  const wanted = [...new Map(posts.map(({ message }) => [occurrenceKey(message), message]))];
  const found = new Map<string, Occurrence>();
  for (let first = 0; first < wanted.length; first += OCCURRENCES_PER_READ) {
    const some = wanted.slice(first, first + OCCURRENCES_PER_READ);
    const read = await Promise.all(some.map(([, message]) => readShownOccurrence(owners, guildId, message)));
    for (const [at, occurrence] of read.entries()) if (occurrence !== null) found.set(some[at]![0], occurrence);
  }
  return found;
}

function occurrenceKey({ occurrenceId, startsAt }: MessageState): string {
  return `${occurrenceId} ${startsAt}`;
}
