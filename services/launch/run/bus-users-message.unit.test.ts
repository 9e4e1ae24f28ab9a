import { expect, test } from "@jest/globals";
import { busUsersIn, busUsersMessage } from "./bus-users-message.ts";
import type { NatsBusUser } from "../permissions/nats-users.ts";

const user: NatsBusUser = { name: "shop-bot", access: "read", publicKey: `U${"A".repeat(55)}` };

test("the bus users reach the supervisor unchanged", () => {
  const message = busUsersMessage([user, { ...user, name: "other", access: "write" }]);
  expect(busUsersIn(JSON.parse(JSON.stringify(message)))).toEqual([user, { ...user, name: "other", access: "write" }]);
  expect(busUsersIn(busUsersMessage([]))).toEqual([]);
});

test.each<[string, unknown]>([
  ["another message", "ready"],
  ["nothing", undefined],
  ["a name with a wildcard", { ...user, name: ">" }],
  ["a name of two words", { ...user, name: "a.b" }],
  ["a key that ends the line", { ...user, publicKey: `${user.publicKey}\n}` }],
  ["a seed", { ...user, publicKey: `S${user.publicKey}` }],
  ["other access", { ...user, access: "all" }],
])("%s is never written into the configuration of the NATS server", (_what, value) => {
  expect(busUsersIn(typeof value === "object" ? { busUsers: [value] } : value)).toBeUndefined();
});

test("a message with more users than the limit is ignored", () => {
  expect(busUsersIn({ busUsers: Array.from({ length: 51 }, () => user) })).toBeUndefined();
});
