import { expect, test } from "@jest/globals";
import { bareAnswers } from "./bare-answers.middleware.ts";

interface Packet {
  readonly type: string;
  readonly payload: object;
}

const hook = bareAnswers as unknown as {
  transitPublish(next: (packet: Packet) => Packet): (packet: Packet) => Packet;
};

test.each([
  ["RES", { data: 1, meta: {} }],
  ["REQ", { data: 1, meta: { requestId: "r" } }],
  ["EVENT", { data: 1, meta: { requestId: "r" } }],
])("of what is put on the bus answers alone lose what their request came with: %s", (type, payload) => {
  const published = hook.transitPublish((packet) => packet)({ type, payload: { data: 1, meta: { requestId: "r" } } });
  expect(published.payload).toEqual(payload);
});
