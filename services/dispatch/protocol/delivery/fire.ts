import { type CompleteState, matchesPlan } from "../../domain/plan/current-state.ts";
import { isEmptyDigest, NOTHING_TO_LIST } from "../../domain/plan/empty-digest.ts";
import { skippedWhenDue } from "../../domain/plan/skip-when-due.ts";
import { changedByOf } from "../../domain/post/changed-by.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Sink } from "../../sinks/sink.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Planner } from "../planning/planner.ts";
import type { Ports } from "../ports.ts";
import type { StateReader, StateSnapshot } from "../scheduling/state-reader.ts";
import type { Timing } from "../timing.ts";
import type { WaitRecords } from "../wait-records.ts";
import type { Delivery } from "./deliver.ts";
import type { Ledger } from "./ledger.ts";
import { messageInput, tryRender } from "./message-input.ts";
import { newMessageState } from "./message-steps.ts";

/** The parts that firing and recovering a post use. */
export interface DeliveryParts {
  readonly ports: Ports;
  readonly timing: Timing;
  readonly lifecycle: Lifecycle;
  readonly planner: Planner;
  readonly stateReader: StateReader;
  readonly ledger: Ledger;
  readonly delivery: Delivery;
  readonly waits: WaitRecords;
}

/** A claim that is later than this also stores the waits of the post: they would be lost if its worker crashed. */
const STORE_WAITS_AFTER_MS = 1_000;

/**
 * Processes a planned post at its due instant: reads the current state, claims the post, and sends it. If the state no
 * longer matches the plan, the guild gets a new plan, which decides about the post. A post that is paused is skipped (D62).
 */
export function newFirePost(parts: DeliveryParts): (post: Post, sink: Sink) => Promise<boolean> {
  const { ports, timing, lifecycle, planner, stateReader, ledger, delivery, waits } = parts;

  /** Resolves to false after a claim that was refused or has no response: the row may differ from the one that was read. */
  async function firePost(post: Post, sink: Sink): Promise<boolean> {
    const snapshot = await readBeforeDeadline(post);
    waits.add(post, "OWNERS_SILENT");
    if (lifecycle.isStopping) return true;
    if (snapshot !== undefined && !matchesPlan(post, snapshot.state, timing.graceMs)) {
      await planner.requestReplan(post.guildId, post.dueAt);
      return true;
    }
    const confirmed = snapshot as (StateSnapshot & { readonly state: CompleteState }) | undefined;
    const skipReason = confirmed && skippedWhenDue(post.dueAt, confirmed.state);
    if (confirmed !== undefined && skipReason !== undefined) {
      await skip(post, confirmed, skipReason);
    } else if (ports.clock.now() > post.deadline || confirmed === undefined) {
      await miss(post, confirmed);
    } else if (isEmptyDigest(confirmed.state)) {
      await skip(post, confirmed, NOTHING_TO_LIST);
    } else {
      return claimAndSend(post, sink, confirmed);
    }
    return true;
  }

  /** Retries until there is a response, the deadline is over, or the process stops. */
  async function readBeforeDeadline(post: Post): Promise<StateSnapshot | undefined> {
    for (;;) {
      const snapshot = await stateReader.read(post);
      if (snapshot !== undefined || ports.clock.now() > post.deadline || lifecycle.isStopping) return snapshot;
      await lifecycle.sleep(timing.ownerRetryMs);
    }
  }

  function miss(post: Post, snapshot: StateSnapshot | undefined): Promise<void> {
    return settleUnsent(post, { state: "missed", reason: waits.missedReason(post) }, snapshot);
  }

  async function settleUnsent(
    post: Post,
    outcome: { readonly state: "missed" | "skipped"; readonly reason: string },
    snapshot: StateSnapshot | undefined,
  ): Promise<void> {
    const settled = { ...outcome, settledAt: ports.clock.now(), waited: undefined };
    await ledger.write(post, { ...settled, ...(snapshot && changedByOf(snapshot.state)) });
    waits.remove(post);
  }

  function skip(post: Post, snapshot: StateSnapshot, reason: string): Promise<void> {
    return settleUnsent(post, { state: "skipped", reason }, snapshot);
  }

  async function claimAndSend(
    post: Post,
    sink: Sink,
    { state, validUntil }: StateSnapshot & { state: CompleteState },
  ): Promise<boolean> {
    const messages = tryRender(ports, await messageInput(post, sink, state));
    waits.add(post, "RECEIVER_SLOW");
    const madeAt = ports.clock.now();
    const message = messages instanceof Error ? undefined : newMessageState(state, messages, sink, madeAt);
    const claimed = await ledger.claim({
      post,
      madeAt,
      owner: ports.replicas.self,
      attemptId: ports.random.id(),
      leaseMs: timing.leaseMs,
      parts: messages instanceof Error ? 1 : messages.length,
      announcementRevision: state.announcement.revision,
      notAfter: validUntil,
      ...changedByOf(state),
      ...(message && { message }),
      ...(madeAt - post.dueAt > STORE_WAITS_AFTER_MS && { waited: waits.totals(post) }),
    });
    waits.add(post, "DATABASE");
    if (claimed === null) return false;
    await (messages instanceof Error
      ? delivery.settleFailed(claimed, `it can't be rendered: ${messages.message}`, true)
      : delivery.send(claimed, sink, messages, true));
    return true;
  }

  return firePost;
}
