import { expect, test } from "@jest/globals";
import { outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";

test("a process sends its part of the requests per second of all processes", async () => {
  const chat = await startChatSink({ limits: { perBucket: 100 } }, { requestsPerSecond: 20 });
  const { server, sink } = chat;
  let processes = 2;
  sink.shareAmong?.(() => processes);
  const posts = Array.from({ length: 40 }, (_, at) => outgoing({ nonce: `n${at}` }));
  await Promise.all(posts.map((post) => sink.send(post, 5_000)));
  expect([server.requests.length, sink.requestsPerSecond?.()]).toEqual([10, 9]);
  processes = 30;
  expect(sink.requestsPerSecond?.()).toBe(1);
  await chat.stop();
});
