import { afterEach, describe, expect, test } from "@jest/globals";
import { isSignedWith, startReceiver } from "../../test/harness/webhook-receiver.ts";
import { newSecret } from "./secret-box.ts";
import { requestSender } from "./send-request.ts";

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(
  respond?: Parameters<typeof startReceiver>[0],
  options: Partial<Parameters<typeof requestSender>[0]> = {},
) {
  const receiver = await startReceiver(respond);
  const sender = requestSender({ allowPrivate: true, ...options });
  stops.push(
    () => sender.close(),
    () => receiver.close(),
  );
  return { receiver, sender };
}

describe("a request to a webhook", () => {
  test("is signed with every secret in use, over id, time and body", async () => {
    const { receiver, sender } = await start();
    const [newer, older] = [newSecret(), newSecret()];
    const body = '{"name":"夜 🎉 é"}';
    expect(await sender.send({ url: receiver.url, id: "w.1", body, secrets: [newer, older] })).toEqual({ status: 200 });
    const [request] = receiver.received;
    expect(request).toMatchObject({ body, headers: { "webhook-id": "w.1", "content-type": "application/json" } });
    expect([newer, older, newSecret()].map((secret) => isSignedWith(secret, request!))).toEqual([true, true, false]);
    expect(isSignedWith(newer, { ...request!, body: `${body} ` })).toBe(false);
    expect(isSignedWith(newer, { ...request!, headers: { ...request!.headers, "webhook-id": "w.2" } })).toBe(false);
  });

  test.each([301, 302, 307, 308, 400, 404, 410, 429, 500, 503])(
    "with the response %i fails, and follows no redirect",
    async (status) => {
      const { receiver, sender } = await start(() => status);
      const result = await sender.send({ url: receiver.url, id: "w.1", body: "{}", secrets: [newSecret()] });
      expect(result).toEqual({ status, error: `HTTP ${status}`, retryAfterMs: 0 });
      expect(receiver.received).toHaveLength(1);
    },
  );

  test("to a private address is refused before a connection, as a literal and as a name", async () => {
    const { receiver, sender } = await start(undefined, {
      allowPrivate: false,
      resolve: (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const { port } = new URL(receiver.url);
    for (const url of [
      receiver.url,
      `https://127.0.0.1:${port}/`,
      `https://inside.example:${port}/`,
      `https://[::1]:${port}/`,
    ]) {
      const result = await sender.send({ url, id: "w.1", body: "{}", secrets: [newSecret()] });
      expect([url, result]).toEqual([url, { error: "TARGET_REFUSED" }]);
    }
    expect(receiver.received).toEqual([]);
  });

  test("to a public address needs https", async () => {
    const { sender } = await start(undefined, {
      resolve: (_name, done) => done(null, [{ address: "1.1.1.1", family: 4 }]),
    });
    for (const url of ["http://1.1.1.1/", "http://public.example/"]) {
      expect(await sender.send({ url, id: "w.1", body: "{}", secrets: [newSecret()] })).toEqual({
        error: "TARGET_REFUSED",
      });
    }
  });
});
