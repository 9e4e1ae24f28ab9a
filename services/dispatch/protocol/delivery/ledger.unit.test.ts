import { describe, expect, test } from "@jest/globals";
import type { Post } from "../../domain/post/post.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Claim } from "../post-store.ts";
import { newLedger } from "./ledger.ts";

const row = { id: "p", guildId: "9", changedBy: { at: 1, requestId: "r-earlier" } } as Post;
const changedBy = { at: 2, requestId: "r-present" };

/** A ledger whose store fails once; with the subjects of the reported failures. */
function failingLedger() {
  const failures: unknown[] = [];
  let hasFailed = false;
  const fail = () => {
    if (hasFailed) return Promise.resolve(null);
    hasFailed = true;
    return Promise.reject(new Error("gone"));
  };
  const ports = {
    clock: { now: () => 0 },
    timers: {
      after(_ms: number, wake: () => void) {
        setImmediate(wake);
        return () => undefined;
      },
    },
    store: { claim: fail, write: fail, find: () => Promise.resolve(null) },
    reports: {
      settled: () => undefined,
      operationFailed: (operation: string, { post }: { readonly post: Post }) =>
        failures.push([operation, post.id, post.changedBy]),
    },
  } as unknown as Ports;
  return { ledger: newLedger(ports, newLifecycle(ports)), failures };
}

describe("the report of a failure", () => {
  test("of a claim names the request of the state that the claim is based on", async () => {
    const { ledger, failures } = failingLedger();
    await ledger.claim({ post: row, changedBy } as Claim);
    expect(failures).toEqual([["claim", "p", changedBy]]);
  });

  test.each([
    ["of a write names the request that the write stores", { changedBy }, changedBy],
    ["of a write without one names that of the row", {}, row.changedBy],
  ] as const)("%s", async (_what, write, expected) => {
    const { ledger, failures } = failingLedger();
    await ledger.write(row, write);
    expect(failures).toEqual([["write", "p", expected]]);
  });
});
