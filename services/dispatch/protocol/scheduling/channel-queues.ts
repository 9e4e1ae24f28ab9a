import type { EpochMs } from "../../../contracts/ids.ts";
import type { ChannelLimits } from "../../sinks/sink.ts";
import type { Entry } from "./sink-queue.ts";
import type { WaitRecords } from "../wait-records.ts";
import { newWakeQueue } from "./delay-queue.ts";

/**
 * A line for each channel of a guild, of which one post at a time gets its turn, and none before the receiver's limit
 * for the channel is over. What waits here is not claimed: it can still be edited, and asks the receiver for nothing.
 * A guild that names another's channel stands in a line of its own. So do what is late and what another replica goes first
 * with: they may have their turn for long before they can begin.
 */
export interface ChannelLines {
  /** Takes a post that is due to the end of its channel's line. */
  join(entry: Entry, now: EpochMs): void;
  /** The one of this channel that was let through is done with. */
  leave(entry: Entry, now: EpochMs): void;
  /** Lets those through whose limit is over by now. */
  open(now: EpochMs): void;
  /** When the next limit is over; undefined when none is known. */
  opensAt(): EpochMs | undefined;
}

type LimitCause = "RECEIVER_LIMIT" | "CHANNEL_LIMIT";
type LimitedMs = Readonly<Record<LimitCause, number>>;

interface Waiting {
  readonly entry: Entry;
  /** How long the line had been limited when it joined. */
  readonly limitedMs: LimitedMs;
}

interface Line {
  readonly channel: string;
  readonly waiting: Waiting[];
  /** Who has the channel's turn; nobody while its limit is waited for. */
  holder?: Entry | undefined;
  /** For how long it has been limited in all, but for the limit that is waited for now. */
  limitedMs: LimitedMs;
  limit?: { readonly cause: LimitCause; readonly since: EpochMs } | undefined;
}

/** While one post of all tries, the others look again so soon. */
const TRIAL_MS = 100;

/**
 * @param waits - Is told what each post waited for here.
 * @param letThrough - Is given each post when it has its turn.
 */
export function newChannelLines(
  limits: ChannelLimits,
  waits: Pick<WaitRecords, "of">,
  letThrough: (entry: Entry) => void,
): ChannelLines {
  /** There is one while a post of its channel waits or has its turn. */
  const lines = new Map<string, Line>();
  const limited = newWakeQueue<string>();
  let holders = 0;

  function waitOf({ channel }: Line): number {
    return Math.max(limits.wait(channel), holders > 0 && limits.onTrial() ? TRIAL_MS : 0);
  }

  function advance(key: string, line: Line, now: EpochMs): void {
    line.limitedMs = limitedBy(line, now);
    line.limit = undefined;
    letOverdueThrough(line, now);
    const [first] = line.waiting;
    if (first === undefined) return void lines.delete(key);
    const wait = waitOf(line);
    if (wait > 0) {
      line.limit = { cause: limits.isStopped() ? "RECEIVER_LIMIT" : "CHANNEL_LIMIT", since: now };
      return limited.put(Math.min(now + Math.ceil(wait), first.entry.deadline + 1), key);
    }
    line.waiting.shift();
    line.holder = first.entry;
    holders += 1;
    passOn(line, first, now);
  }

  /** What is past its deadline is settled without being sent: no limit holds it up. */
  function letOverdueThrough(line: Line, now: EpochMs): void {
    const { waiting } = line;
    for (let [first] = waiting; first !== undefined && now > first.entry.deadline; [first] = waiting) {
      waiting.shift();
      passOn(line, first, now);
    }
  }

  function passOn(line: Line, { entry, limitedMs }: Waiting, now: EpochMs): void {
    const record = waits.of(entry.post);
    for (const cause of ["RECEIVER_LIMIT", "CHANNEL_LIMIT"] as const) {
      record.spentFor(cause, line.limitedMs[cause] - limitedMs[cause], now);
    }
    record.spent("CHANNEL_QUEUE", now);
    letThrough(entry);
  }

  return {
    join(entry, now) {
      const key = lineOf(entry);
      const { channel } = entry.post;
      const line = lines.get(key) ?? { channel, waiting: [], limitedMs: { RECEIVER_LIMIT: 0, CHANNEL_LIMIT: 0 } };
      line.waiting.push({ entry, limitedMs: limitedBy(line, now) });
      if (lines.has(key)) return;
      lines.set(key, line);
      advance(key, line, now);
    },
    leave(entry, now) {
      const key = lineOf(entry);
      const line = lines.get(key);
      if (line?.holder !== entry) return;
      line.holder = undefined;
      holders -= 1;
      advance(key, line, now);
    },
    open(now) {
      for (let key = limited.takeBy(now); key !== undefined; key = limited.takeBy(now)) {
        const line = lines.get(key);
        if (line !== undefined) advance(key, line, now);
      }
    },
    opensAt: () => limited.nextAt(),
  };
}

function lineOf({ guildId, post, precedence }: Entry): string {
  return `${guildId} ${post.channel} ${precedence}`;
}

/** For how long the line has been limited until now. */
function limitedBy({ limitedMs, limit }: Line, now: EpochMs): LimitedMs {
  return limit === undefined ? limitedMs : { ...limitedMs, [limit.cause]: limitedMs[limit.cause] + now - limit.since };
}
