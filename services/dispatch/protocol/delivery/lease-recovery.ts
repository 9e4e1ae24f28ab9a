import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { requiresPost } from "../../domain/plan/current-state.ts";
import { isEmptyDigest } from "../../domain/plan/empty-digest.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lookup, Sink } from "../../sinks/sink.ts";
import { lastKnownState } from "../planning/plan-sources.ts";
import type { DeliveryParts } from "./fire.ts";
import { nonceValidUntil, outgoingMessage } from "./outgoing-message.ts";
import { messageInput } from "./message-input.ts";

type NotFound = Exclude<Lookup, { kind: "found" }>;

/** A post whose sending ended this many workers is not sent again (a poison message). */
const POISON_CRASHES = 2;
const WORKER_VANISHED = "its worker vanished while it was sending";
const RECEIVER_UNREACHABLE = "the receiver could not be reached to look it up";
const STATE_UNREADABLE = "its event or announcement could not be read";
const LOOKUP_TIMEOUT_MS = 3_000;
const LOOKUP_RETRY_MS = 5_000;
/** How long after the deadline lookups at an unreachable receiver are repeated. */
const MAX_LOOKUP_MS = 300_000;

/**
 * Recovers a post that may have been delivered: its worker vanished, or the receiver's response was lost. While the receiver
 * certainly recognises the nonce, the post is sent again, and the receiver drops a duplicate. Later the post is looked up.
 * A post that can't be looked up becomes `unknown` and is not sent again.
 */
export function newLeaseRecovery(parts: DeliveryParts): (post: Post, sink: Sink | undefined) => Promise<void> {
  const { ports, timing, stateReader, ledger, delivery, waits } = parts;
  const { clock, random, replicas, store } = ports;

  async function recover(post: Post, sink: Sink | undefined): Promise<void> {
    const { id, guildId, fence } = post;
    const claim = { id, guildId, fence, owner: replicas.self, attemptId: random.id(), leaseMs: timing.leaseMs };
    const taken = await store.takeOver({ ...claim, state: "sending" });
    waits.add(post, "DATABASE");
    if (taken === null) return;
    if (sink === undefined) {
      return delivery.settleUnknown(taken, `the sink ${post.sink} was switched off while it was sent`);
    }
    if (taken.crashes < POISON_CRASHES && (await resend(taken, sink))) return;
    await lookUp(taken, sink);
  }

  /** Sends the post again if the receiver would drop a duplicate, and the current state still requires the post. */
  async function resend(post: Post, sink: Sink): Promise<boolean> {
    if (clock.now() > Math.min(post.deadline, nonceValidUntil(post, sink, timing))) return false;
    const snapshot = await stateReader.read(post);
    waits.add(post, "OWNERS_SILENT");
    if (snapshot === undefined) {
      await delivery.keepSending(post, STATE_UNREADABLE, timing.ownerRetryMs);
      return true;
    }
    if (!requiresPost(post, snapshot.state, timing.graceMs) || isEmptyDigest(snapshot.state)) return false;
    if (clock.now() > Math.min(post.deadline, nonceValidUntil(post, sink, timing))) return false;
    const messages = ports.render(await messageInput(post, sink, snapshot.state));
    await delivery.send(post, sink, messages, false);
    return true;
  }

  async function lookUp(post: Post, sink: Sink): Promise<void> {
    // A frozen worker may still send the post until the window of its nonce is over. Absence proves nothing before.
    const waitMs = nonceValidUntil(post, {}, timing) - clock.now();
    if (sink.find !== undefined && waitMs > 0) {
      return delivery.keepSending(post, post.reason ?? WORKER_VANISHED, waitMs);
    }
    const messages = await lastKnownMessages(post);
    const partCount = post.parts ?? 1;
    const delivered = [...post.delivered];
    while (delivered.length < partCount) {
      const lookup = await lookUpPart({ ...post, delivered }, messages[delivered.length], sink);
      waits.add(post, "RECEIVER_SLOW");
      if (lookup?.kind !== "found") return endNotFound({ ...post, delivered }, lookup, sink);
      delivered.push(lookup.messageId);
    }
    await delivery.settleSent({ ...post, delivered });
  }

  async function lookUpPart(post: Post, message: ChatMessage | undefined, sink: Sink): Promise<Lookup | undefined> {
    if (message === undefined) return undefined;
    const triedMsAgo = clock.now() - (post.doubtSince ?? 0);
    return sink.find?.(outgoingMessage(post, post.delivered.length, message), triedMsAgo, LOOKUP_TIMEOUT_MS);
  }

  /** Renders the stored state at the post's own start: the event may have been moved or deleted since. */
  async function lastKnownMessages(post: Post): Promise<readonly ChatMessage[]> {
    const state = await lastKnownState(store, post);
    if (state === undefined) return [];
    const { startsAt, offset } = post;
    const endsAt = post.endsAt ?? startsAt + state.occurrence.endsAt - state.occurrence.startsAt;
    return ports.render({ ...state, offset, occurrence: { ...state.occurrence, startsAt, endsAt } });
  }

  /** @param lookup - Undefined if the sink has no lookup, or if the message is not known. */
  async function endNotFound(post: Post, lookup: NotFound | undefined, sink: Sink): Promise<void> {
    if (lookup?.kind === "unreachable" && clock.now() < post.deadline + MAX_LOOKUP_MS) {
      return delivery.keepSending(post, post.reason ?? RECEIVER_UNREACHABLE, LOOKUP_RETRY_MS);
    }
    const isAbsent = lookup?.kind === "absent";
    const why = lookup?.kind === "unreachable" && lookup.reason !== undefined ? `; looked up: ${lookup.reason}` : "";
    const isPoison = post.crashes >= POISON_CRASHES;
    if (post.delivered.length > 0) {
      return isAbsent && !isPoison ? sendRest(post, sink) : delivery.settleUnknown(post, partlyDelivered(post) + why);
    }
    if (isPoison) return delivery.settleFailed(post, `poison: ${post.crashes} workers vanished with it`, isAbsent);
    const reason = post.reason ?? WORKER_VANISHED;
    return isAbsent ? delivery.returnToPlanned(post, reason, 0) : delivery.settleUnknown(post, reason + why);
  }

  /** Sends the absent parts after the delivered ones, if the current state still requires the post. */
  async function sendRest(post: Post, sink: Sink): Promise<void> {
    const snapshot = clock.now() > post.deadline ? "over" : await stateReader.read(post);
    if (snapshot === undefined) return delivery.keepSending(post, STATE_UNREADABLE, timing.ownerRetryMs);
    if (snapshot === "over" || clock.now() > post.deadline || !requiresPost(post, snapshot.state, timing.graceMs)) {
      return delivery.settleUnknown(post, partlyDelivered(post));
    }
    const messages = ports.render(await messageInput(post, sink, snapshot.state));
    // The doubt about earlier attempts is resolved; from now on the remaining parts may have been sent.
    const write = { state: "sending", delivered: post.delivered, doubtSince: clock.now() } as const;
    const held = await ledger.write(post, write);
    if (held !== null) await delivery.send(held, sink, messages, true);
  }

  return recover;
}

function partlyDelivered({ delivered, parts = delivered.length }: Post): string {
  return `only its first ${delivered.length} of ${parts} parts are there`;
}
