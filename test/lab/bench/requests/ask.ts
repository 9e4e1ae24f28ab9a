/** Port and API key of a subject. */
export interface Reached {
  readonly port: number;
  readonly key: string;
}

/** One request, a GET where it has no body, and the body of its answer; throws on any status but 200. */
export async function ask({ port, key }: Reached, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Five processes that start on one busy CPU take their time. */
const PATIENCE_MS = 60_000;

/** Waits until something answers on the port. */
export async function untilAnswered(port: number, path: string, check: () => void): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let said = "nothing";
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (answer !== undefined && answer.status !== 503) return;
    said = (await answer?.text()) ?? said;
    check();
    if (performance.now() > deadline) throw new Error(`port ${port} is not ready: ${said}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
