import shared from "../jest.config.js";

const [{ rootDir, testEnvironment, transform, extensionsToTreatAsEsm, modulePathIgnorePatterns }] = shared.projects;

export default {
  rootDir,
  testEnvironment,
  transform,
  extensionsToTreatAsEsm,
  modulePathIgnorePatterns,
  displayName: "browser",
  testMatch: ["<rootDir>/test/browser/**/*.browser.test.ts"],
  globalSetup: "<rootDir>/test/browser/find-chromium.ts",
  testTimeout: shared.testTimeout,
  maxWorkers: 1,
};
