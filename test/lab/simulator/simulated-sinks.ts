import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type {
  EditOutcome,
  Lookup,
  MessageEdit,
  MessageRemoval,
  OutgoingMessage,
  RemovalOutcome,
  SendOutcome,
  Sink,
} from "../../../services/dispatch/sinks/sink.ts";
import { slidingWindow } from "../../../services/dispatch/sinks/sliding-window.ts";
import type { Refusal } from "./scenario.ts";
import type { Incarnation } from "./simulated-network.ts";
import { isIn, type SharedWorld } from "./shared-world.ts";

/** The reason of a refusal that only an operator can resolve. */
export const HALTED = "401";
/** More requests than a run sends in a second. */
const MANY = 10_000;
/** The channel in a refusal of one channel. */
const REFUSED_CHANNEL = "77";

/** The sinks of a run. Only the first one's receiver has faults. */
export function simulatedSinks(world: SharedWorld, who: Incarnation): Sink[] {
  return world.scenario.sinks.map((name, at) =>
    at === 0 ? faultySink(world, who, name) : faultlessSink(world, who, name),
  );
}

function faultlessSink({ time, network, receiver }: SharedWorld, who: Incarnation, name: SinkName): Sink {
  const isDown = () => false;
  return {
    name,
    async send(message, timeoutMs) {
      const sentAt = time.now;
      return orNoResponse(
        network.ask(who, "send", { timeoutMs, isDown }, async () => receiver.accept(name, message, sentAt)),
      );
    },
    edit: (edit, timeoutMs) =>
      orNoResponse(network.ask(who, "edit", { timeoutMs, isDown }, async () => receiver.edit(edit))),
    remove: (removal, timeoutMs) =>
      orNoResponse(network.ask(who, "remove", { timeoutMs, isDown }, async () => receiver.remove(removal))),
    find: ({ channel, nonce }, _triedMsAgo, timeoutMs) =>
      orUnreachable(
        network.ask(who, "look up", { timeoutMs, isDown }, async () => receiver.find(name, channel, nonce)),
      ),
    close: () => Promise.resolve(),
  };
}

function faultySink(world: SharedWorld, who: Incarnation, name: SinkName): Sink {
  const { time, network, scenario, receiver, record } = world;
  const { chance } = time;
  const isDown = () => isIn(world, scenario.receiverDown);

  function refused(of: Refusal["of"]): boolean {
    return isIn(
      world,
      scenario.refusals.filter((refusal) => refusal.of === of),
    );
  }

  async function receive(message: OutgoingMessage, sentAt: number): Promise<SendOutcome> {
    if (refused("everything")) return { kind: "halted", reason: HALTED };
    if (chance.happens(scenario.limited)) {
      return { kind: "retry", reason: "429", afterMs: chance.between(300, 4_000), undelivered: true };
    }
    if (refused("channel") && message.channel === REFUSED_CHANNEL)
      return receiver.refuse(message, "channel", "no channel");
    const hasEmbed = message.message.embeds.length > 0;
    if (refused("embed and text") || (hasEmbed && refused("embed")))
      return receiver.refuse(message, "payload", "bad form");
    if (!chance.happens(scenario.broken)) return receiver.accept(name, message, sentAt);
    if (chance.happens(0.5)) receiver.accept(name, message, sentAt);
    return { kind: "retry", reason: "503", afterMs: 0 };
  }

  /** The outcome of an edit or a deletion. */
  async function receiveStep<Made>(
    { channel, isRefused }: { readonly channel: string; readonly isRefused: boolean },
    make: () => Made,
  ): Promise<Made | Exclude<EditOutcome, { readonly kind: "edited" }>> {
    if (refused("everything")) return { kind: "halted", reason: HALTED };
    if (chance.happens(scenario.limited)) return { kind: "retry", reason: "429", afterMs: chance.between(300, 4_000) };
    if ((refused("channel") && channel === REFUSED_CHANNEL) || isRefused) {
      return { kind: "rejected", scope: "payload", reason: "refused" };
    }
    if (!chance.happens(scenario.broken)) return make();
    if (chance.happens(0.5)) make();
    return { kind: "retry", reason: "503", afterMs: 0 };
  }

  function receiveEdit(edit: MessageEdit): Promise<EditOutcome> {
    const step = { channel: edit.channel, isRefused: refused("embed and text") };
    return receiveStep(step, () => receiver.edit(edit));
  }

  function receiveRemoval(removal: MessageRemoval): Promise<RemovalOutcome> {
    return receiveStep({ channel: removal.channel, isRefused: false }, () => receiver.remove(removal));
  }

  const window = slidingWindow(() => Math.min(scenario.requestsPerSecond, MANY), 1_000);

  function post(message: OutgoingMessage, timeoutMs: number): Promise<SendOutcome> {
    const sentAt = time.now;
    const afterMs = window.waitMs(sentAt);
    if (afterMs > 0) return Promise.resolve({ kind: "retry", reason: "rate limit", afterMs, undelivered: true });
    window.add(sentAt);
    return orNoResponse(network.ask(who, "send", { timeoutMs, isDown }, () => receive(message, sentAt)));
  }

  const { requestsPerSecond } = scenario;
  const sink: Sink = {
    name,
    requestsPerSecond: () => requestsPerSecond,
    // With a rate limit of the receiver, posts of one channel are sent one after the other.
    ...(requestsPerSecond < Infinity && {
      channelLimits: { waitMs: () => 0, isStopped: () => false, isHalfOpen: () => false },
    }),
    /** If an embed is refused, the text is sent without it in the same call (sinks/README.md). */
    async send(message, timeoutMs) {
      const startedAt = time.now;
      const outcome = await post(message, timeoutMs);
      if (outcome.kind === "halted") record.haltedResponses.push({ at: time.now, owner: who.name, sink: name });
      if (outcome.kind !== "rejected" || outcome.scope !== "payload") return outcome;
      const left = timeoutMs - (time.now - startedAt);
      if (left <= 0) return { kind: "retry", reason: "timed out", afterMs: 0, undelivered: true };
      return post({ ...message, message: { ...message.message, embeds: [] } }, left);
    },
    async edit(edit, timeoutMs) {
      const outcome = await orNoResponse(network.ask(who, "edit", { timeoutMs, isDown }, () => receiveEdit(edit)));
      const message = receiver.visible.find(({ id }) => id === edit.messageId);
      if (outcome.kind === "gone" && message !== undefined) message.goneSaidAt.push(time.now);
      return outcome;
    },
    remove: (removal, timeoutMs) =>
      orNoResponse(network.ask(who, "remove", { timeoutMs, isDown }, () => receiveRemoval(removal))),
    close: () => Promise.resolve(),
  };
  if (!scenario.canLookUp) return sink;
  return {
    ...sink,
    find: ({ channel, nonce }, _triedMsAgo, timeoutMs) =>
      orUnreachable(
        network.ask(who, "look up", { timeoutMs, isDown }, async () => receiver.find(name, channel, nonce)),
      ),
  };
}

function orNoResponse<Outcome>(call: Promise<Outcome>): Promise<Outcome | Extract<SendOutcome, { kind: "retry" }>> {
  return call.catch(() => ({ kind: "retry", reason: "no response", afterMs: 0 }) as const);
}

function orUnreachable(call: Promise<Lookup>): Promise<Lookup> {
  return call.catch(() => ({ kind: "unreachable" }));
}
