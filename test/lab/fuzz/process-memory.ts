/** The memory of a process after a garbage collection, in megabytes. */
export interface ProcessMemory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

const SAY_MEMORY =
  "JSON.stringify(Object.fromEntries(Object.entries(process.memoryUsage()).map(([name, bytes]) => [name, bytes / 2 ** 20])))";

/**
 * Collects the garbage of a process through its inspector, and reads its memory. Without the collection the figures depend on
 * the last collection of V8: 450 MB of resident memory were 200 MB a second later.
 */
export async function memoryOf(inspectorUrl: string): Promise<ProcessMemory> {
  const inspector = new WebSocket(inspectorUrl);
  await new Promise((resolve, reject) => {
    inspector.addEventListener("open", resolve, { once: true });
    inspector.addEventListener("error", reject, { once: true });
  });
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    const answered = new Promise<unknown>((resolve) => {
      inspector.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))), { once: true });
    });
    inspector.send(JSON.stringify({ id: 1, method, params }));
    return answered;
  };
  // The second collection frees memory that the first one has only released, such as buffers.
  await ask("HeapProfiler.collectGarbage");
  await ask("HeapProfiler.collectGarbage");
  const said = (await ask("Runtime.evaluate", { expression: SAY_MEMORY })) as {
    readonly result: { readonly result: { readonly value: string } };
  };
  inspector.close();
  return JSON.parse(said.result.result.value) as ProcessMemory;
}
