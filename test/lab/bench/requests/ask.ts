/** The port of a server, and an API key that it accepts. */
export interface Address {
  readonly port: number;
  readonly key: string;
}

/** The body of the answer to one request; throws on any status but 200. */
export async function ask({ port, key }: Address, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Five processes start on one processor. */
const MAX_START_MS = 60_000;

/** Waits until a server on the port answers with another status than 503. */
export async function untilAnswered(port: number, path: string, check: () => void): Promise<void> {
  const deadline = performance.now() + MAX_START_MS;
  let last = "nothing";
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (answer !== undefined && answer.status !== 503) return;
    last = (await answer?.text()) ?? last;
    check();
    if (performance.now() > deadline) throw new Error(`port ${port} is not ready: ${last}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
