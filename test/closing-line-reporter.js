/** Ends a run with one plain line, whatever the other reporters print. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
