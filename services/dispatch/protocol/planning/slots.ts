/** A counting semaphore. */
export interface Slots {
  readonly wait: () => Promise<void>;
  readonly occupy: (until: Promise<void>) => Promise<void>;
}

export function newSlots(max: number): Slots {
  let inUse = 0;
  const waiting: (() => void)[] = [];
  const wait = async (): Promise<void> => {
    if (inUse < max) return;
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return wait();
  };
  return {
    wait,
    async occupy(until) {
      inUse += 1;
      await until;
      inUse -= 1;
      waiting.shift()?.();
    },
  };
}
