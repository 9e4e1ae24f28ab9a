/** In megabytes. */
export interface ProcessMemory {
  readonly residentMb: number;
  readonly heapMb: number;
  readonly externalMb: number;
}

/** What a process says of its own memory, at its probe port. */
export async function memoryOf(probePort: number): Promise<ProcessMemory> {
  const metrics = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
  const megabytes = (name: string) => {
    const [, bytes] = new RegExp(`^${name} (\\S+)$`, "m").exec(metrics) ?? [];
    if (bytes === undefined) throw new Error(`no metric ${name}`);
    return Number(bytes) / 2 ** 20;
  };
  return {
    residentMb: megabytes("process_resident_memory_bytes"),
    heapMb: megabytes("nodejs_heap_size_used_bytes"),
    externalMb: megabytes("nodejs_external_memory_bytes"),
  };
}
