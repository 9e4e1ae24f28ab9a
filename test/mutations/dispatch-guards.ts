import type { Guard } from "./guard.ts";

const follower = {
  file: "services/dispatch/protocol/follower.ts",
  testFile: "services/dispatch/protocol/follower.unit.test.ts",
};

const directory = {
  file: "services/dispatch/discord/channel-directory.ts",
  testFile: "services/dispatch/discord-channels.contract.test.ts",
};
const sink = { ...directory, file: "services/dispatch/discord.sink.ts" };

/** What the reading of changes and the Discord sink keep to; what else protects posts is in the simulator's mutants. */
export const DISPATCH_GUARDS: readonly Guard[] = [
  {
    ...follower,
    guard: "the next reading of a feed goes on from where a long one began",
    text: "notAfter(readAt, position)",
    without: "position",
    test: "finds a write that became visible behind them eight seconds after it got its time",
  },
  {
    ...follower,
    guard: "a feed rests after a page",
    text: "if (more) await rest(beganAt, tookMs);",
    without: "",
    test: "leaves others four times as long as each page took",
  },
  {
    ...follower,
    guard: "a feed comes to the end of changes that go on",
    text: "if (clock.now() - beganAt < feedEveryMs) ",
    without: "",
    test: "takes no rest any more once the next reading would be due",
  },
  {
    ...directory,
    guard: "a post never goes to another guild's channel",
    text: 'return learned.found.guildId === guildId ? OWN : { kind: "foreign" };',
    without: "return OWN;",
    test: "a post never goes to another guild's channel",
  },
  {
    ...directory,
    guard: "what is known of a foreign channel keeps posts out of it",
    text: 'return known === guildId ? OWN : { kind: "foreign" };',
    without: "return OWN;",
    test: "a post never goes to another guild's channel",
  },
  {
    ...sink,
    guard: "nothing is sent while nobody can tell whose channel it is",
    text: 'if (found.kind === "retry" || found.kind === "halted") return found;',
    without: 'if (found.kind === "retry" || found.kind === "halted") return undefined;',
    test: "while whose channel it is can't be known",
  },
  {
    ...sink,
    guard: "a channel that refuses a post is read again",
    text: "if (refused === undefined && isRefusedByChannel(outcome)) directory.forget(message.channel);",
    without: "",
    test: "and again when the channel refuses one",
  },
  {
    ...sink,
    guard: "one guild's refused requests are limited",
    text: 'if (waitMs > 0) return { kind: "retry", reason: MANY_REFUSALS, afterMs: waitMs, undelivered: true };',
    without: "",
    test: "one guild's forbidden channels don't use up the refused requests",
  },
  {
    ...sink,
    guard: "channel checks keep to their part of the requests",
    text: "const waitMs = () => Math.max(checks.wait(now()), limits.wait(lane, now()));",
    without: "const waitMs = () => limits.wait(lane, now());",
    test: "checks take a tenth of the requests, and posts have the rest",
  },
  {
    guard: "the rest of a message that is certainly absent is sent",
    file: "services/dispatch/protocol/rescue.ts",
    text: "return isAbsent && !isPoison ? sendRest(post, sink)",
    without: "return false ? sendRest(post, sink)",
    testFile: "services/dispatch/discord-posts.int.test.ts",
    test: "of a post in parts the rest is sent when a look-up shows that it is not there",
    onRealParts: true,
  },
  {
    ...follower,
    guard: "reading waits for planning",
    text: "await pages.roomForGuild();",
    without: "",
    test: "reads on only as guilds are planned",
  },
  {
    ...follower,
    guard: "the mark is stored page by page",
    text: "() => confirm(reached)",
    without: "async () => undefined",
    test: "stores its mark page by page",
  },
  {
    ...follower,
    guard: "guilds that announce nothing are not planned",
    text: "return guilds.filter((guildId) => wanted.has(guildId));",
    without: "return guilds;",
    test: "asks once a page about guilds that announce nothing",
  },
  {
    guard: "a guild has no more open posts than it may have",
    file: "services/dispatch/domain/plan-posts.ts",
    text: "if (cut === undefined && needed > room) cut = candidate;",
    without: "",
    testFile: "services/dispatch/domain/plan-bound.unit.test.ts",
    test: "of thousands at one instant no more are planned than may be",
  },
  {
    guard: "a guild whose plan fails waits longer each time",
    file: "services/dispatch/protocol/backoff.ts",
    text: "FIRST_MS * 2 ** Math.min(own, MAX_DOUBLINGS)",
    without: "FIRST_MS",
    testFile: "services/dispatch/protocol/backoff.unit.test.ts",
    test: "waits twice as long each time while others are planned",
  },
  {
    guard: "what other replicas found of a channel counts for two hours",
    file: "services/dispatch/known-channels.ts",
    text: "&& now() - known.checkedAt < MOST_AGE_MS",
    without: "",
    testFile: "services/dispatch/known-channels.contract.test.ts",
    test: "asks the receiver itself where what was found is over two hours old",
  },
  {
    guard: "only a channel that was found to be the guild's is known to be",
    file: "services/dispatch/known-channels.ts",
    text: 'known.finding.kind === "own" && ',
    without: "",
    testFile: "services/dispatch/known-channels.contract.test.ts",
    test: "asks the receiver itself where what was found was that it can't be seen",
  },
];
