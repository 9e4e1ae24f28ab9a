import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { stands } from "../../domain/plan/current-state.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lookup, Sink } from "../../sinks/sink.ts";
import { announcedThrough } from "./with-guild-name.ts";
import type { FireParts } from "./fire.ts";
import { nonceKnownUntil, outgoing } from "./outgoing-message.ts";
import { recall } from "../planning/plan-sources.ts";

type NotFound = Exclude<Lookup, { kind: "found" }>;

/** A post that took this many workers with it is not tried again. */
const POISON_CRASHES = 2;
const VANISHED = "its worker vanished while it was sending";
const LOOK_UP_MS = 3_000;
const LOOK_AGAIN_MS = 5_000;
/** For how long after the deadline an unreachable receiver is asked what it has. */
const LOOK_UP_PATIENCE_MS = 300_000;

/**
 * What happens to a post that may have been delivered: its worker is gone, or its answer was lost. While the receiver
 * surely knows the nonce it is sent again, and a double is dropped there. Later it is looked up; and where that can't
 * be done it becomes `unknown` and is not sent again.
 */
export function newRescue(fireParts: FireParts): (post: Post, sink: Sink | undefined) => Promise<void> {
  const { ports, timing, questions, ledger, delivery, waits } = fireParts;
  const { clock, random, replicas, store } = ports;

  async function rescue(post: Post, sink: Sink | undefined): Promise<void> {
    const { id, fence } = post;
    const claim = { id, fence, owner: replicas.self, attemptId: random.id(), leaseMs: timing.leaseMs };
    const taken = await store.takeOver(claim);
    waits.spent(post, "DATABASE");
    if (taken === null) return;
    if (sink === undefined) return delivery.giveUp(taken, `the sink ${post.sink} was switched off while it was sent`);
    if (taken.crashes < POISON_CRASHES && (await sendAgain(taken, sink))) return;
    await lookUp(taken, sink);
  }

  /** Sends it again when that can't make a double, and the truth still asks for it. */
  async function sendAgain(post: Post, sink: Sink): Promise<boolean> {
    if (clock.now() > Math.min(post.deadline, nonceKnownUntil(post, sink, timing))) return false;
    const answer = await questions.askAbout(post);
    waits.spent(post, "OWNERS_SILENT");
    if (answer === undefined) {
      await delivery.pause(post, "the truth about it can't be had", timing.askAgainMs);
      return true;
    }
    if (!stands(post, answer.truth, timing.graceMs)) return false;
    if (clock.now() > Math.min(post.deadline, nonceKnownUntil(post, sink, timing))) return false;
    const messages = ports.render(await announcedThrough(sink, answer.truth));
    await delivery.send(post, sink, messages, false);
    return true;
  }

  async function lookUp(post: Post, sink: Sink): Promise<void> {
    // A worker that is only frozen may still send: absence says something once it would have been killed.
    const early = nonceKnownUntil(post, {}, timing) - clock.now();
    if (sink.find !== undefined && early > 0) return delivery.pause(post, post.reason ?? VANISHED, early);
    const messages = await lastKnown(post);
    const parts = post.parts ?? 1;
    const delivered = [...post.delivered];
    while (delivered.length < parts) {
      const answer = await lookFor({ ...post, delivered }, messages[delivered.length], sink);
      waits.spent(post, "RECEIVER_SLOW");
      if (answer?.kind !== "found") return notFound({ ...post, delivered }, answer, sink);
      delivered.push(answer.messageId);
    }
    await delivery.succeed({ ...post, delivered });
  }

  async function lookFor(post: Post, message: ChatMessage | undefined, sink: Sink): Promise<Lookup | undefined> {
    if (message === undefined) return undefined;
    const triedMsAgo = clock.now() - (post.doubtSince ?? 0);
    return sink.find?.(outgoing(post, post.delivered.length, message), triedMsAgo, LOOK_UP_MS);
  }

  /** Its messages by what the plan was last made from, at its own start: its event may have been moved or be gone. */
  async function lastKnown(post: Post): Promise<readonly ChatMessage[]> {
    const truth = await recall(store, post);
    if (truth === undefined) return [];
    const { startsAt } = post;
    const endsAt = startsAt + truth.occurrence.endsAt - truth.occurrence.startsAt;
    return ports.render({ ...truth, occurrence: { ...truth.occurrence, startsAt, endsAt } });
  }

  /** @param answer - Undefined when the sink can't look, or nobody knows for what. */
  async function notFound(post: Post, answer: NotFound | undefined, sink: Sink): Promise<void> {
    if (answer?.kind === "unreachable" && clock.now() < post.deadline + LOOK_UP_PATIENCE_MS) {
      return delivery.pause(post, post.reason ?? "the receiver can't be asked whether it has it", LOOK_AGAIN_MS);
    }
    const isAbsent = answer?.kind === "absent";
    const why = answer?.kind === "unreachable" && answer.reason !== undefined ? `; looked up: ${answer.reason}` : "";
    const isPoison = post.crashes >= POISON_CRASHES;
    if (post.delivered.length > 0) {
      return isAbsent && !isPoison ? sendRest(post, sink) : delivery.giveUp(post, onlyTheFirst(post) + why);
    }
    if (isPoison) return delivery.fail(post, `poison: ${post.crashes} workers vanished with it`, isAbsent);
    const reason = post.reason ?? VANISHED;
    return isAbsent ? delivery.release(post, reason, 0) : delivery.giveUp(post, reason + why);
  }

  /** Sends the parts that are certainly absent after those that are there, while the truth still asks for them. */
  async function sendRest(post: Post, sink: Sink): Promise<void> {
    const answer = clock.now() > post.deadline ? "over" : await questions.askAbout(post);
    if (answer === undefined) return delivery.pause(post, "the truth about it can't be had", timing.askAgainMs);
    if (answer === "over" || clock.now() > post.deadline || !stands(post, answer.truth, timing.graceMs)) {
      return delivery.giveUp(post, onlyTheFirst(post));
    }
    const messages = ports.render(await announcedThrough(sink, answer.truth));
    // From now on the rest may have been sent, and nothing else of it is in doubt.
    const write = { state: "sending", delivered: post.delivered, doubtSince: clock.now() } as const;
    const held = await ledger.write(post, write);
    if (held !== null) await delivery.send(held, sink, messages, true);
  }

  return rescue;
}

function onlyTheFirst({ delivered, parts = delivered.length }: Post): string {
  return `only its first ${delivered.length} of ${parts} parts are there`;
}
