import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { until } from "../../../test/harness/until.ts";
import type { DueQueue } from "../store/webhooks.store.ts";
import type { QueuePorts } from "./ports.ts";
import { newQueueScheduler } from "./queue-scheduler.ts";

const MAX_VISITS = 64;
const MAX_VISITS_DOWN = 16;
const MAX_VISITS_OF_GUILD = 4;

function queuesOf(name: string, length: number, guildOf = (n: number) => `${name}${n}`): DueQueue[] {
  return Array.from({ length }, (_, n) => ({ id: `${name} ${n}`, guildId: guildOf(n) as GuildId, fence: 1 }));
}

/** Queues that are due, and whose visits do not end before `end`. */
function scheduled(due: { readonly up: readonly DueQueue[]; readonly down?: readonly DueQueue[] }) {
  const claimed: DueQueue[] = [];
  const ended = Promise.withResolvers<undefined>();
  const isOver = new Set<DueQueue>();
  const webhooks = {
    listDue: (_now: number, areDown: boolean, limit: number) =>
      Promise.resolve((areDown ? (due.down ?? []) : due.up).filter((queue) => !isOver.has(queue)).slice(0, limit)),
    claim(queue: DueQueue) {
      claimed.push(queue);
      return ended.promise.finally(() => isOver.add(queue));
    },
  };
  const ports = { clock: { now: () => 0 }, webhooks, reports: { failed: () => undefined } } as unknown as QueuePorts;
  const scheduler = newQueueScheduler(ports);
  const idsOf = (guild: string) => claimed.filter(({ guildId }) => guildId.startsWith(guild)).length;
  return { scheduler, claimed, idsOf, end: () => ended.resolve(undefined) };
}

describe("the visits of the queues of webhooks", () => {
  test("to receivers that count as down have a quarter of the slots, and the others the rest", async () => {
    const { scheduler, claimed, idsOf, end } = scheduled({ up: queuesOf("up", 200), down: queuesOf("down", 200) });
    scheduler.start();
    await until(() => claimed.length >= MAX_VISITS, "every slot is used");
    scheduler.poll();
    const stopped = scheduler.stop();
    expect([idsOf("up"), idsOf("down")]).toEqual([MAX_VISITS - MAX_VISITS_DOWN, MAX_VISITS_DOWN]);
    end();
    await stopped;
  });

  test("of one guild are four at once, so that those of other guilds begin meanwhile", async () => {
    const up = [...queuesOf("noisy", 10, () => "noisy"), ...queuesOf("quiet", 3)];
    const { scheduler, claimed, idsOf, end } = scheduled({ up });
    scheduler.start();
    await until(() => idsOf("quiet") === 3, "the other guilds are visited");
    expect([idsOf("noisy"), claimed.length]).toEqual([MAX_VISITS_OF_GUILD, MAX_VISITS_OF_GUILD + 3]);
    end();
    await until(() => idsOf("noisy") === 10, "the others of the guild follow");
    await scheduler.stop();
  });
});
