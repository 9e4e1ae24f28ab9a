import type { Guard } from "./guard.ts";

/** What calls over the bus, and readiness, owe to its failures. */
export const BUS_GUARDS: readonly Guard[] = [
  {
    guard: "a process whose bus is gone is not ready",
    file: "mixins/probes.middleware.ts",
    text: 'isBusUp(broker) ? [] : ["bus"]',
    without: "[]",
    testFile: "mixins/readiness.processes.test.ts",
    test: "not ready as long as its bus is gone",
    onRealParts: true,
  },
  {
    guard: "a read without an answer is asked again",
    file: "mixins/asked-again.middleware.ts",
    text: "isRead === true ? heard() : offered(ask)",
    without: "offered(ask)",
    testFile: "test/processes/asked-again.processes.test.ts",
    test: "asked once more when it is a read",
    onRealParts: true,
  },
  {
    guard: "what changes something is not asked again",
    file: "mixins/asked-again.middleware.ts",
    text: "isRead === true ? heard() : offered(ask)",
    without: "heard()",
    testFile: "test/processes/asked-again.processes.test.ts",
    test: "is never asked again when it changes something",
    onRealParts: true,
  },
  {
    guard: "what nobody took is offered again",
    file: "mixins/asked-again.middleware.ts",
    text: "!wasNotTaken(error) || performance.now() > deadline",
    without: "error !== undefined",
    testFile: "test/processes/asked-again.processes.test.ts",
    test: "is offered until somebody is there",
    onRealParts: true,
  },
];
