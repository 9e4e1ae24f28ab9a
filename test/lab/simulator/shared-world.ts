import type { PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import type { Record } from "./evidence.ts";
import type { Scenario, Interval } from "./scenario.ts";
import type { Incarnation, SimulatedNetwork } from "./simulated-network.ts";
import type { SimulatedOwners } from "./simulated-owners.ts";
import type { SimulatedReceiver } from "./simulated-receiver.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The state that all replicas of a run share. */
export interface SharedWorld {
  readonly time: VirtualTime;
  readonly start: number;
  readonly scenario: Scenario;
  readonly network: SimulatedNetwork;
  readonly store: PostStore;
  readonly owners: SimulatedOwners;
  readonly receiver: SimulatedReceiver;
  readonly record: Record;
  /** The database server's clock, which may be stepped. */
  readonly databaseNow: () => number;
  /** A replica's wall clock, which the protocol must not read. */
  readonly wallNow: () => number;
  /** Maximum number of open posts of one guild (D39). */
  readonly maxOpenPosts: number;
  /** The replicas that this one considers alive; others may know of different ones. */
  knownReplicas(viewer: Incarnation): readonly string[];
}

export function isIn(world: Pick<SharedWorld, "time" | "start">, intervals: readonly Interval[]): boolean {
  const at = world.time.now - world.start;
  return intervals.some(({ from, until }) => at >= from && at < until);
}
