import { dirname } from "node:path";

const rootDir = dirname(import.meta.dirname);

// Node strips the types, as in production, so that jest transforms nothing.
const shared = {
  rootDir,
  testEnvironment: "node",
  transform: {},
  extensionsToTreatAsEsm: [".ts"],
  modulePathIgnorePatterns: ["<rootDir>/.data"],
};

/** Tests with the real MongoDB and nats-server run with all services on one broker, and with each on its own. */
function onServers(topology, ...testMatch) {
  return {
    ...shared,
    displayName: `integration, ${topology}`,
    testMatch,
    testEnvironmentOptions: { topology },
    globals: { TOPOLOGY: topology },
  };
}

export default {
  rootDir,
  projects: [
    { ...shared, displayName: "unit", testMatch: ["**/*.unit.test.ts"] },
    { ...shared, displayName: "contract", testMatch: ["**/*.contract.test.ts"] },
    // Tests with the real MongoDB and without services run once.
    { ...shared, displayName: "on MongoDB", testMatch: ["**/*.mongo.test.ts"] },
    onServers("in one process", "**/*.int.test.ts"),
    // In both topologies: the example of every route, a file for each service, probes, and lost responses of MongoDB. What a
    // request does beyond that does not depend on the topology, and is tested over NATS only.
    onServers("over NATS", "**/*.int.test.ts", "**/*.nats.test.ts"),
    { ...shared, displayName: "processes", testMatch: ["**/*.processes.test.ts"] },
  ],
  globalSetup: "<rootDir>/test/harness/global-setup.ts",
  globalTeardown: "<rootDir>/test/harness/global-teardown.ts",
  // A test ends when its condition holds; on a busy machine the same test takes twenty times as long.
  testTimeout: 180_000,
  // Much of a test's time is spent waiting for servers.
  maxWorkers: 4,
  // Modules of ended files stay in memory: four workers had up to 1.9 GB each at the end.
  workerIdleMemoryLimit: "1GB",
  coverageProvider: "babel",
  reporters: ["default", "<rootDir>/test/closing-line-reporter.js"],
};
