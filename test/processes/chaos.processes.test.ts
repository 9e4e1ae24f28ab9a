import { describe, expect, test } from "@jest/globals";
import { SHORT } from "../lab/chaos/faults/kills.ts";
import { runFault } from "../lab/chaos/run-fault.ts";

const PATIENCE_MS = 300_000;

describe("two replicas of dispatch send each post exactly once", () => {
  test.each(SHORT.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_name, fault) => {
      const { error, times, due, ...row } = await runFault(fault);
      expect(error).toBeUndefined();
      expect(times).toBeGreaterThan(0);
      expect(row).toMatchObject({ sent: due, doubled: 0, lost: 0, early: 0 });
    },
    PATIENCE_MS,
  );
});
