/** What a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Loaded before a measured server (`--import`): tells what it has used to the process that asks for it. */
process.on("message", (message) => {
  if (message !== "usage") return;
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed };
  process.send?.(usage);
});
// Whoever measured it is gone.
process.once("disconnect", () => process.exit(1));
