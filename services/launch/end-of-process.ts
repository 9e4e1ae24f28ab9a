/** Resolves when the process is asked to end: Ctrl-C, SIGTERM, or the death of the process that supervises it. */
export function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = () => {
      // The second Ctrl-C is for somebody who won't wait for the draining.
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    process.on("SIGINT", ask);
    process.on("SIGTERM", ask);
    process.on("disconnect", () => {
      if (!asked) ask();
    });
  });
}
