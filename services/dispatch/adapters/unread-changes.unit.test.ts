import { expect, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { unreadChanges } from "./unread-changes.ts";

test("changes that are not read yet are counted by their owner, and not while it is out of reach", async () => {
  const calls: unknown[] = [];
  const owner = { isUp: true };
  const broker = {
    async call(name: string, params: object) {
      calls.push([name, params]);
      if (!owner.isUp) throw new Error("no response");
      return 300;
    },
  } as unknown as ServiceBroker;
  const count = unreadChanges(broker);
  const mark = { at: 7, id: "e1" };
  await expect(count({ feed: "guild-settings", unread: [] })).resolves.toBe(0);
  await expect(count({ feed: "guild-settings", unread: [{ mark, partitions: [1] }, { mark }] })).resolves.toBe(600);
  owner.isUp = false;
  await expect(count({ feed: "announcements", unread: [{ mark }] })).resolves.toBe(0);
  expect(calls).toEqual([
    ["guild-settings.countChanges", { mark, partitions: [1], limit: 10_000 }],
    ["guild-settings.countChanges", { mark, limit: 10_000 }],
    ["announcements.countChanges", { mark, limit: 10_000 }],
  ]);
});
