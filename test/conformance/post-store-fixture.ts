import type { GuildId, OccurrenceId } from "../../services/contracts/ids.ts";
import { firstPositionAt } from "../../services/dispatch/domain/plan/plan-order.ts";
import { planPosts } from "../../services/dispatch/domain/plan/plan-posts.ts";
import type { Post } from "../../services/dispatch/domain/post/post.ts";
import type { Claim, PlanCommit, PostStore } from "../../services/dispatch/protocol/post-store.ts";
import { sampleOccurrence, samplePlanInput } from "../fixtures/dispatch-samples.ts";

/** A store under test, with the machine's clock. */
export interface StoreUnderTest {
  readonly store: PostStore;
  stop(): Promise<void>;
}

export const LEASE_MS = 80;
let guilds = 0;

/** The id of a guild that no other test uses. */
export function newGuildId(): GuildId {
  return String((guilds += 1)) as GuildId;
}

export function emptyPlan(guildId: GuildId, version = 0): PlanCommit {
  const reach = { plannedThrough: Date.now() + 60_000, replanAt: Date.now() + 30_000 };
  return { guildId, version, inserts: [], updates: [], removes: [], sources: [], ...reach };
}

export function claimOf(post: Post, differs: Partial<Claim> = {}): Claim {
  const ours = { owner: "us", attemptId: "one", leaseMs: LEASE_MS, parts: 1, announcementRevision: 3 };
  return { post, madeAt: Date.now(), notAfter: Date.now() + 5_000, ...ours, ...differs };
}

/** A started store with posts. */
export class PostStoreFixture {
  readonly #start: () => Promise<StoreUnderTest>;
  #underTest: StoreUnderTest | undefined;

  constructor(start: () => Promise<StoreUnderTest>) {
    this.#start = start;
  }

  async start(): Promise<void> {
    this.#underTest = await this.#start();
  }

  async stop(): Promise<void> {
    await this.#underTest?.stop();
  }

  get store(): PostStore {
    if (this.#underTest === undefined) throw new Error("the store was not started");
    return this.#underTest.store;
  }

  /** Planned posts that are due in `dueIn`, in their own guild. */
  async planned(dueIn: number, count = 1): Promise<Post[]> {
    const guildId = newGuildId();
    const now = Date.now();
    const startsAt = now + dueIn;
    const occurrences = Array.from({ length: count }, (_, at) =>
      sampleOccurrence({ occurrenceId: `e${guildId}x${at}` as OccurrenceId, startsAt }),
    );
    const { inserts } = planPosts(
      samplePlanInput({ guildId, now, occurrences, start: firstPositionAt(0), through: now + 1e9 }),
    );
    const version = await this.store.commitPlan({ ...emptyPlan(guildId), inserts });
    if (version !== 1) throw new Error(`the first plan of a guild has the version ${version}`);
    return [...inserts];
  }

  async due(): Promise<Post> {
    const [post] = await this.planned(-5);
    return post as Post;
  }

  async claimed(differs: Partial<Claim> = {}): Promise<Post> {
    return (await this.store.claim(claimOf(await this.due(), differs))) as Post;
  }
}
