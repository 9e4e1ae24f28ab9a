import { describe, expect, test } from "@jest/globals";
import {
  CHANGE_KINDS,
  type ChangedRecords,
  type ChangeKind,
  MAX_DELIVERED,
  type RecordPosition,
} from "../../contracts/guild-changes.contract.ts";
import {
  type ChangesByKind,
  type Delivery,
  FIRST_POSITION,
  MAX_UNSETTLED,
  perKind,
  selectChanges,
  type SyncPosition,
} from "./sync-position.ts";

const OVERLAP_MS = 10_000;

/** A write: its time, and the time at which it is stored, which is at most the overlap later. */
interface Write {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly revision: number;
  readonly at: number;
  readonly storedAt: number;
}

/** A generator of numbers from 0 to 1, the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** The newest stored revision of each record, as an owner would return those after a position. */
function readKind(
  writes: readonly Write[],
  now: number,
  { at, id, delivered }: RecordPosition,
  limit: number,
  overlapMs: number,
): ChangedRecords<string> {
  const newest = new Map<string, Write>();
  for (const write of writes) {
    if (write.storedAt > now || (newest.get(write.id)?.revision ?? 0) > write.revision) continue;
    newest.set(write.id, write);
  }
  const keys = [...newest.values()]
    .filter((write) => write.at > at || (write.at === at && write.id > id))
    .map((write) => Object.assign({ digest: `${write.id}@${write.revision}` }, write))
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1))
    .slice(0, limit + delivered.length + 1);
  const known = new Set(delivered);
  const rest = keys.filter(({ digest }) => !known.has(digest));
  return {
    delivered: keys.filter(({ digest }) => known.has(digest)),
    changed: rest.slice(0, limit).map((key) => Object.assign({ deleted: false, record: key.digest }, key)),
    settledUntil: now - overlapMs,
    more: rest.length > limit,
  };
}

function readAll(writes: readonly Write[], now: number, position: SyncPosition, limit: number, overlapMs = OVERLAP_MS) {
  return perKind((kind) =>
    readKind(
      writes.filter((write) => write.kind === kind),
      now,
      position[kind],
      limit,
      overlapMs,
    ),
  );
}

/** Random writes over a minute, some of which are stored late; each record is written one revision after the other. */
function someWrites(random: () => number, count: number): Write[] {
  const writes: Write[] = [];
  const revisions = new Map<string, Write>();
  let at = 100_000;
  for (let n = 0; n < count; n += 1) {
    at += Math.floor(random() * 3) * Math.floor(random() * 200);
    const kind = CHANGE_KINDS[Math.floor(random() * CHANGE_KINDS.length)] as ChangeKind;
    const id = `${kind}-${Math.floor(random() * 20)}`;
    const before = revisions.get(id);
    const delay = random() < 0.2 ? Math.floor(random() * (OVERLAP_MS - 1)) : Math.floor(random() * 20);
    const start = Math.max(at, before?.storedAt ?? 0);
    const write = { kind, id, revision: (before?.revision ?? 0) + 1, at: start, storedAt: start + delay };
    writes.push(write);
    revisions.set(id, write);
  }
  return writes;
}

/** Reads with a random limit at random times until all is settled; returns what was delivered. */
function follow(writes: readonly Write[], random: () => number, overlapMs = OVERLAP_MS) {
  const delivered: { key: string; at: number; kind: ChangeKind; id: string; revision: number; isLate: boolean }[] = [];
  let position: SyncPosition = FIRST_POSITION;
  const end = Math.max(...writes.map(({ storedAt }) => storedAt)) + 30_000;
  for (let now = 100_000; now < end; now += Math.floor(random() * (random() < 0.2 ? 15_000 : 1_500))) {
    let page: Delivery;
    do {
      const limit = 1 + Math.floor(random() * 7);
      page = selectChanges(position, readAll(writes, now, position, limit, overlapMs), limit);
      expect(page.records.length).toBeLessThanOrEqual(limit);
      position = page.position;
      expect(namedBy(position)).toBeLessThanOrEqual(MAX_UNSETTLED);
      for (const { kind, id, revision, at, digest } of page.records) {
        const isLate = at < (delivered.at(-1)?.at ?? 0);
        delivered.push({ key: digest, at, kind, id, revision, isLate });
      }
    } while (page.more);
  }
  return { delivered, position };
}

/** Number of revisions that a position names. */
function namedBy(position: SyncPosition): number {
  return CHANGE_KINDS.reduce((sum, kind) => sum + position[kind].delivered.length, 0);
}

/** The newest revisions that were not delivered, and the revisions that were delivered twice. */
function faults(writes: readonly Write[], delivered: ReturnType<typeof follow>["delivered"]) {
  const newest = new Map(writes.map((write) => [write.id, write.revision]));
  const keys = delivered.map(({ key }) => key);
  return {
    missing: [...newest].filter(([id, revision]) => !keys.includes(`${id}@${revision}`)).map(([id]) => id),
    repeated: keys.filter((key, index) => keys.indexOf(key) !== index),
  };
}

describe("a position in the changes of a guild", () => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed + 1);

  test.each(seeds)("misses no record and repeats no revision, with late writes and any limit (seed %i)", (seed) => {
    const random = randomOf(seed);
    const writes = someWrites(random, 300);
    const { delivered } = follow(writes, random);
    expect(faults(writes, delivered)).toEqual({ missing: [], repeated: [] });
  });

  test("would miss records if a write could be stored later than its overlap: the test sees a gap", () => {
    const found = seeds.map((seed) => {
      const random = randomOf(seed);
      const writes = someWrites(random, 300);
      return faults(writes, follow(writes, random, 0).delivered).missing.length;
    });
    expect(Math.max(...found)).toBeGreaterThan(0);
  });

  test("delivers a record's revisions in their order, and the changes in that of their times unless they are stored late", () => {
    for (const seed of seeds) {
      const random = randomOf(seed);
      const prompt = someWrites(random, 200).map((write) => Object.assign({}, write, { storedAt: write.at }));
      expect(follow(prompt, random).delivered.filter(({ isLate }) => isLate)).toEqual([]);
      const { delivered } = follow(someWrites(random, 200), random);
      const last = new Map<string, number>();
      for (const { id, revision } of delivered) {
        expect(revision).toBeGreaterThan(last.get(id) ?? 0);
        last.set(id, revision);
      }
    }
  });

  test("names no delivered revision when all writes are settled, and is then the same for all readers", () => {
    const writes = someWrites(randomOf(7), 300);
    const positions = [1, 2, 3].map((seed) => follow(writes, randomOf(seed)).position);
    for (const kind of CHANGE_KINDS) expect(positions[0]?.[kind].delivered).toEqual([]);
    expect(positions[1]).toEqual(positions[0]);
    expect(positions[2]).toEqual(positions[0]);
  });

  test("holds changes back while it names as many unsettled ones as it may, and delivers them when they are settled", () => {
    const burst = Array.from({ length: 3 * MAX_UNSETTLED }, (_, n): Write => {
      const at = 100_000 + (n % 3);
      return { kind: n % 2 === 0 ? "event" : "post", id: String(n).padStart(5, "0"), revision: 1, at, storedAt: at };
    });
    const first = selectChanges(FIRST_POSITION, readAll(burst, 101_000, FIRST_POSITION, 1_000), 1_000);
    expect([first.records.length, first.more, first.isHeldBack]).toEqual([MAX_UNSETTLED, false, true]);
    expect(namedBy(first.position)).toBe(MAX_UNSETTLED);
    expect(MAX_UNSETTLED).toBeLessThan(MAX_DELIVERED);
    const later = 101_000 + OVERLAP_MS + 3;
    const second = selectChanges(first.position, readAll(burst, later, first.position, 1_000), 1_000);
    expect([second.records.length, second.more, second.isHeldBack]).toEqual([2 * MAX_UNSETTLED, false, false]);
    expect(faults(burst, [...first.records, ...second.records].map(asDelivered))).toEqual({
      missing: [],
      repeated: [],
    });
  });

  test("stays before a late record that is not delivered yet, also when delivered ones behind it are settled", () => {
    const write = (id: string, at: number, storedAt = at): Write => ({ kind: "event", id, revision: 1, at, storedAt });
    const writes = [write("early", 98, 9_000), write("late", 99, 9_000), write("prompt", 100)];
    const first = selectChanges(FIRST_POSITION, readAll(writes, 200, FIRST_POSITION, 1), 1);
    const second = selectChanges(first.position, readAll(writes, 10_100, first.position, 1), 1);
    const third = selectChanges(second.position, readAll(writes, 10_100, second.position, 1), 1);
    const pages = [first, second, third].map(({ records }) => records.map(({ id }) => id));
    expect(pages).toEqual([["prompt"], ["early"], ["late"]]);
    // The gateway has both late ones, and delivers one.
    const both = selectChanges(first.position, readAll(writes, 10_100, first.position, 2), 1);
    const last = selectChanges(both.position, readAll(writes, 10_100, both.position, 1), 1);
    expect([both, last].map(({ records }) => records.map(({ id }) => id))).toEqual([["early"], ["late"]]);
  });

  test("delivers nothing behind the last known record of a kind whose list is incomplete", () => {
    const writes = [1, 2, 3, 4].flatMap((n): Write[] => [
      { kind: "event", id: `e${n}`, revision: 1, at: n, storedAt: n },
      { kind: "post", id: `p${n}`, revision: 1, at: 100 + n, storedAt: 100 + n },
    ]);
    const page = selectChanges(FIRST_POSITION, readAll(writes, 100_000, FIRST_POSITION, 2), 2);
    expect(page.records.map(({ id }) => id)).toEqual(["e1", "e2"]);
    const mixed: ChangesByKind = { ...readAll(writes, 100_000, FIRST_POSITION, 2) };
    const wide = selectChanges(FIRST_POSITION, mixed, 10);
    expect([wide.records.map(({ id }) => id), wide.more]).toEqual([["e1", "e2"], true]);
  });
});

function asDelivered({ digest, at, kind, id, revision }: Delivery["records"][number]) {
  return { key: digest, at, kind, id, revision, isLate: false };
}
