import type { Reached } from "./subjects.ts";

/** One request, and the body of its answer; throws on any status but 200. */
export async function post({ port, key }: Reached, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Waits until something answers on the port. */
export async function untilAnswered(port: number, path: string, check: () => void): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (answer !== undefined && answer.status !== 503) return;
    check();
    if (performance.now() > deadline) throw new Error(`nothing answers on port ${port}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
