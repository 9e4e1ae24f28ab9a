import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { editsMessages, type MessageState, withStep } from "../../domain/post/message-state.ts";
import type { Post } from "../../domain/post/post.ts";
import { readShownOccurrence, stateFingerprint } from "../delivery/followed-state.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Concurrent reads; an occurrence has 7 kB at most. */
const OCCURRENCES_PER_READ = 20;
/** Messages beyond the limit that one plan drops. */
const MAX_DROPPED = 500;

/** A sent post whose message is edited, and the part of the state that says which occurrence it shows. */
type EditedPost = Post & { readonly message: MessageState };

/**
 * Compares the edited messages of a guild with the state that a plan was made from, and makes a step due for each that shows another
 * state (D67). A step that is due and not under way reads the state later than this plan did.
 *
 * @param readSettings - Called if the guild has an edited message.
 */
export async function requestChangedMessages(
  { store, owners, clock }: Pick<Ports, "store" | "owners" | "clock">,
  { maxEditedMessages }: Pick<Timing, "maxEditedMessages">,
  guildId: GuildId,
  announcements: readonly AnnouncementRule[],
  readSettings: () => Promise<GuildSettings>,
): Promise<void> {
  const rules = new Map(announcements.filter(editsMessages).map((rule) => [rule.id, rule]));
  if (rules.size === 0) return;
  const rows = await store.editedPosts(guildId, clock.now(), maxEditedMessages + MAX_DROPPED);
  const edited = rows.filter(({ message }) => message !== undefined) as EditedPost[];
  if (edited.length === 0) return;
  const settings = await readSettings();
  const followed = edited.slice(0, maxEditedMessages).filter(({ announcementId }) => rules.has(announcementId));
  const waiting = followed.filter(({ stepDue, owner }) => stepDue !== true || owner !== undefined);
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
  async function drop(post: EditedPost): Promise<void> {
    if (post.owner !== undefined) return;
    const reason = `the guild has more than ${maxEditedMessages} edited messages`;
    const steps = withStep(post.steps, { step: "DROPPED", at: clock.now(), reason });
    await store.write(post, { message: undefined, stepDue: undefined, steps });
  }
}

/** The occurrences that the messages show, by `occurrenceKey`; without those that do not exist any more. */
async function shownOccurrences(
  owners: Ports["owners"],
  guildId: GuildId,
  posts: readonly EditedPost[],
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
