import { calendarRowId } from "../store/calendars.store.ts";
import { type FollowPorts, visitFollow } from "./visit-follow.ts";

/** Largest number of concurrent reads in this process. Each holds its body in memory, up to about 25 MB. */
const MAX_READS = 4;
/** Largest number of them that read addresses whose last read failed: such a read often takes the whole 30 seconds. */
const MAX_READS_FAILING = MAX_READS / 2;
/** Interval between searches for addresses that are due. */
const POLL_MS = 2_000;

export interface FollowScheduler {
  start(): void;
  /** Searches for addresses that are due. */
  poll(): void;
  /** Starts no further read, and ends the running ones. */
  stop(): Promise<void>;
}

/** Reads the addresses that are due, the longest overdue first; those that failed have slots of their own. */
export function newFollowScheduler(ports: FollowPorts, onStop: () => void): FollowScheduler {
  const running = new Map<string, { readonly isFailing: boolean; readonly ended: Promise<void> }>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let [isStopping, isLooking] = [false, false];

  async function startReads(isFailing: boolean): Promise<void> {
    const used = [...running.values()].filter((read) => read.isFailing === isFailing).length;
    const free = (isFailing ? MAX_READS_FAILING : MAX_READS - MAX_READS_FAILING) - used;
    if (free <= 0) return;
    const due = await ports.readings.listDue(ports.clock.now(), isFailing, free + running.size);
    const idOf = ({ guildId, calendarNumber }: (typeof due)[number]) => calendarRowId(guildId, calendarNumber);
    for (const follow of due.filter((each) => !running.has(idOf(each))).slice(0, free)) {
      if (isStopping) return;
      const ended = visitFollow(ports, follow, () => isStopping)
        .catch((error: unknown) => ports.reports.failed("visit", error))
        .finally(() => running.delete(idOf(follow)));
      running.set(idOf(follow), { isFailing, ended });
    }
  }

  async function look(): Promise<void> {
    try {
      await startReads(false);
      await startReads(true);
    } catch (error) {
      ports.reports.failed("find addresses", error);
    } finally {
      isLooking = false;
    }
  }

  function poll(): void {
    if (isStopping || isLooking) return;
    isLooking = true;
    looking = look();
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
      onStop();
      await looking;
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
