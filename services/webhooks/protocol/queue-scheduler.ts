import type { GuildId } from "../../contracts/ids.ts";
import type { DueQueue } from "../store/webhooks.store.ts";
import type { QueuePorts } from "./ports.ts";
import { LEASE_MS, visitQueue } from "./visit-queue.ts";

/** Visits of queues in this process at once. Each holds at most four bodies, of up to 100 kB. */
const MAX_VISITS = 64;
/** Visits to receivers that count as down: each takes ten seconds. */
const MAX_VISITS_DOWN = MAX_VISITS / 4;
/** Visits for one guild. */
const MAX_VISITS_OF_GUILD = 4;
/** Interval between looks for queues that need a visit. A broadcast causes one at once. */
const POLL_MS = 500;

export interface QueueScheduler {
  start(): void;
  /** Looks for queues that need a visit. */
  poll(): void;
  /** Starts no further visit; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Visits the queues that need it, the longest overdue first; those of receivers that count as down have slots of their own. */
export function newQueueScheduler(ports: QueuePorts): QueueScheduler {
  const running = new Map<
    string,
    { readonly guildId: GuildId; readonly isDown: boolean; readonly ended: Promise<void> }
  >();
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let polling: Promise<void> | undefined;
  let again = false;

  const countOf = (matches: (visit: { guildId: GuildId; isDown: boolean }) => boolean) =>
    [...running.values()].filter(matches).length;

  async function startVisits(areDown: boolean): Promise<void> {
    const { clock, webhooks } = ports;
    const slots =
      (areDown ? MAX_VISITS_DOWN : MAX_VISITS - MAX_VISITS_DOWN) - countOf(({ isDown }) => isDown === areDown);
    if (slots <= 0) return;
    const due = await webhooks.listDue(clock.now(), areDown, slots + running.size);
    let left = slots;
    for (const queue of due) {
      if (left === 0 || isStopping) return;
      if (running.has(queue.id)) continue;
      if (countOf(({ guildId }) => guildId === queue.guildId) >= MAX_VISITS_OF_GUILD) continue;
      left -= 1;
      const ended = visit(queue)
        .catch((error: unknown) => ports.reports.failed("visit", { webhook: queue.id, error }))
        .finally(() => {
          running.delete(queue.id);
          poll();
        });
      running.set(queue.id, { guildId: queue.guildId, isDown: areDown, ended });
    }
  }

  async function visit(queue: DueQueue): Promise<void> {
    const now = ports.clock.now();
    const claim = await ports.webhooks.claim(queue, now, now + LEASE_MS);
    if (claim !== undefined) await visitQueue(ports, claim, () => isStopping);
  }

  async function pollOnce(): Promise<void> {
    try {
      do {
        again = false;
        await startVisits(false);
        await startVisits(true);
      } while (again);
    } catch (error) {
      ports.reports.failed("find queues", { error });
    } finally {
      polling = undefined;
    }
  }

  function poll(): void {
    if (isStopping) return;
    again = true;
    polling ??= pollOnce();
  }

  return {
    start() {
      timer = setInterval(poll, POLL_MS);
      poll();
    },
    poll,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await polling;
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
