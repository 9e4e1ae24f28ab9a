import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, outgoing, startChatSink } from "../../../test/harness/chat-sink.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { channelKey, type KnownFinding } from "./channel-checks.store.ts";
import { withKnownChannels } from "./known-channels.ts";

const HOUR = 3_600_000;
const GUILD = "300000000000000001" as GuildId;
const OTHER_GUILD = "300000000000000002" as GuildId;
const post = outgoing({ guildId: GUILD, channel: CHANNEL });
const NOW = 10 * HOUR;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A sink that knows no channel, and other replicas with this finding for the guild's channel. */
async function start(found: KnownFinding | undefined, read?: () => Promise<never>) {
  const chat = await startChatSink();
  stops.push(() => chat.stop());
  const key = channelKey({ sink: "discord", guildId: GUILD, channel: CHANNEL });
  const findings = async () => new Map(found === undefined ? [] : [[key, found]]);
  const sink = withKnownChannels(chat.sink, { findings: read ?? findings }, () => NOW);
  return { server: chat.server, sink };
}

const own = { kind: "own", missing: [], mentionableRoles: [] } as const;

describe("a sink with the findings of other replicas", () => {
  test("posts without another request to a channel that another replica found to belong to the guild", async () => {
    const { server, sink } = await start({ finding: own, checkedAt: NOW - HOUR });
    server.addChannel(CHANNEL, { guild: GUILD });
    expect(await sink.send(post, 5_000)).toMatchObject({ kind: "sent" });
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
  });

  test.each([
    ["is over two hours old", { finding: own, checkedAt: NOW - 3 * HOUR }],
    ["says that it can't be seen", { finding: { kind: "unreachable" }, checkedAt: NOW }],
    ["is missing", undefined],
  ] as const)("requests the channel itself if the finding %s", async (_what, found) => {
    const { server, sink } = await start(found);
    server.addChannel(CHANNEL, { guild: OTHER_GUILD });
    expect(await sink.send(post, 5_000)).toMatchObject({ kind: "rejected" });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test("requests the channel itself while the findings can't be read", async () => {
    const { server, sink } = await start(undefined, () => Promise.reject(new Error("no database")));
    server.addChannel(CHANNEL, { guild: GUILD });
    expect(await sink.send(post, 5_000)).toMatchObject({ kind: "sent" });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });
});
