import type { TestedGuard } from "./guard.ts";

const directory = {
  file: "services/dispatch/sinks/discord/channel-directory.ts",
  testFile: "services/dispatch/sinks/discord/discord-channels.contract.test.ts",
};
const sink = { ...directory, file: "services/dispatch/sinks/discord/discord.sink.ts" };

/** Guards of the Discord sink and of channel checks. */
export const DISCORD_GUARDS: readonly TestedGuard[] = [
  {
    ...directory,
    guard: "a post never goes to another guild's channel",
    in: "ownership",
    code: '$_.guildId === $_ ? OWN : { kind: "foreign" }',
    without: "OWN",
    test: "never sends a post to another guild's channel",
  },
  {
    ...directory,
    guard: "no post goes to a channel that is cached as another guild's",
    in: "ownership",
    code: 'if ($KNOWN !== undefined) return $KNOWN === $_ ? OWN : { kind: "foreign" };',
    without: "if ($KNOWN !== undefined) return OWN;",
    test: "never sends a post to another guild's channel",
  },
  {
    ...sink,
    guard: "nothing is sent while the channel's guild is unknown",
    in: "channelRefusal",
    code: 'if ($FOUND.kind === "retry" || $FOUND.kind === "halted") return $FOUND;',
    without: 'if ($FOUND.kind === "retry" || $FOUND.kind === "halted") return undefined;',
    test: "sends nothing while the channel's guild can't be read",
  },
  {
    ...sink,
    guard: "a channel that refuses a post is read again",
    in: "send",
    code: "$_.forget($_.channel);",
    without: "",
    test: "and again after the channel refuses one",
  },
  {
    ...sink,
    guard: "one guild's refused requests are limited",
    in: "send",
    code: 'if ($_) return { kind: "retry", reason: MANY_REFUSALS, $$$ };',
    without: "",
    test: "keeps one guild's forbidden channels from using up all refused requests",
  },
  {
    ...sink,
    guard: "channel checks use only their share of the requests",
    in: "getForCheck",
    code: "Math.max($_, $LIMIT)",
    without: "$LIMIT",
    test: "uses a tenth of the requests, and leaves the rest to posts",
  },
  {
    guard: "message parts that a lookup shows to be absent are sent",
    file: "services/dispatch/protocol/delivery/lease-recovery.ts",
    in: "endNotFound",
    code: "$_ ? sendRest($$$) : $GIVEN_UP",
    without: "$GIVEN_UP",
    testFile: "services/dispatch/sinks/discord/discord-posts.nats.test.ts",
    test: "the remaining parts of a post are sent if a lookup shows that they are absent",
    needsServers: true,
  },
  {
    guard: "a finding of another replica about a channel is valid for two hours",
    file: "services/dispatch/channel-checks/known-channels.ts",
    in: "isOwn",
    code: "$FOUND && $_ < MAX_AGE_MS",
    without: "$FOUND",
    testFile: "services/dispatch/channel-checks/known-channels.contract.test.ts",
    test: "requests the channel itself if the finding is over two hours old",
  },
  {
    guard: "only a finding that the channel is the guild's counts as known",
    file: "services/dispatch/channel-checks/known-channels.ts",
    in: "isOwn",
    code: '$FOUND && $_.finding.kind === "own"',
    without: "$FOUND",
    testFile: "services/dispatch/channel-checks/known-channels.contract.test.ts",
    test: "requests the channel itself if the finding says that it can't be seen",
  },
  {
    ...directory,
    guard: "the cached channels are limited",
    code: "const CHANNELS = { max: $_, $$$REST };",
    without: "const CHANNELS = { max: 40_000, $$$REST };",
    test: "caches at most 20 000 channels",
  },
  {
    file: "services/dispatch/channel-checks/channel-checks.store.ts",
    testFile: "services/dispatch/channel-checks/channel-checks.store.mongo.test.ts",
    guard: "the checked channels of a guild are limited",
    in: "newRows",
    code: "$_ >= MAX_CHANNELS",
    without: "false",
    test: "are at most 1 000",
    needsServers: true,
  },
];
