/** The port of a server, and an API key that it accepts. */
export interface Address {
  readonly port: number;
  readonly key: string;
}

/** Sends a request and returns the body of the response; throws on any status except 200. */
export async function postRequest(
  { port, key }: Address,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Timeout of a start; five processes start on one processor. */
const MAX_START_MS = 60_000;

/** Waits until a server on the port returns another status than 503. */
export async function untilResponding(port: number, path: string, check: () => void): Promise<void> {
  const deadline = performance.now() + MAX_START_MS;
  let last = "nothing";
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (response !== undefined && response.status !== 503) return;
    last = (await response?.text()) ?? last;
    check();
    if (performance.now() > deadline) throw new Error(`port ${port} is not ready: ${last}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
