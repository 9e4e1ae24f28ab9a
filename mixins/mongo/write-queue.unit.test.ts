import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { WriteQueue } from "./write-queue.ts";

const never = () => new Promise<never>(() => undefined);
const tooManyWrites = { refusal: "TOO_MANY_REQUESTS" };

describe("writes of one document", () => {
  let queue: WriteQueue;
  const begun: string[] = [];

  beforeEach(() => {
    queue = new WriteQueue();
    begun.length = 0;
  });
  afterEach(() => void jest.useRealTimers());

  /** A write that ends when the test resolves it. */
  function write(documentId: string, name: string) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const response = queue.run(documentId, () => {
      begun.push(name);
      return promise;
    });
    return { response, end: () => resolve(name), fail: () => reject(new Error(name)) };
  }

  test("start one after the other, in the order of arrival", async () => {
    const writes = ["1", "2", "3"].map((name) => write("a", name));
    for (const [at, { response, end }] of writes.entries()) {
      expect(begun).toEqual(["1", "2", "3"].slice(0, at + 1));
      end();
      await expect(response).resolves.toBe(String(at + 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test("do not wait for writes of another document", () => {
    void write("a", "of a");
    void write("b", "of b");
    expect(begun).toEqual(["of a", "of b"]);
  });

  test("a write that fails lets the next one start", async () => {
    const first = write("a", "first");
    const second = write("a", "second");
    first.fail();
    await expect(first.response).rejects.toThrow("first");
    second.end();
    await expect(second.response).resolves.toBe("second");
  });

  test("more than 250 waiting writes are refused at once", async () => {
    void queue.run("a", never);
    for (let each = 0; each < 250; each += 1) void queue.run("a", never);
    let response: unknown;
    void queue.run("a", never).then((given) => (response = given));
    await new Promise((resolve) => setImmediate(resolve));
    expect(response).toMatchObject(tooManyWrites);
  });

  test("more than 10 000 writes of all documents are refused at once, until one has ended", async () => {
    const first = write("0", "first");
    for (let each = 1; each < 10_000; each += 1) void queue.run(String(each), never);
    await expect(queue.run("another", never)).resolves.toMatchObject(tooManyWrites);
    first.end();
    await first.response;
    await new Promise((resolve) => setImmediate(resolve));
    await expect(queue.run("another", async () => "done")).resolves.toBe("done");
  });

  test("a write that has waited for four seconds is refused and never starts", async () => {
    jest.useFakeTimers();
    const first = write("a", "first");
    const { response } = write("a", "second");
    await jest.advanceTimersByTimeAsync(4_000);
    await expect(response).resolves.toMatchObject(tooManyWrites);
    first.end();
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(["first"]);
  });

  test("a write that never ends lets the next one start after six seconds", async () => {
    jest.useFakeTimers();
    void write("a", "silent");
    await jest.advanceTimersByTimeAsync(3_000);
    void write("a", "next");
    await jest.advanceTimersByTimeAsync(3_000);
    expect(begun).toEqual(["silent", "next"]);
  });
});
