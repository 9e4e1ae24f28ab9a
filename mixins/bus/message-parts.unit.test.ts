import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isMessagePart, MessageJoiner, splitMessage } from "./message-parts.ts";

const id = (byte: number) => Buffer.alloc(16, byte);
const joinAll = (joiner: MessageJoiner, parts: readonly Buffer[]) =>
  parts.map((part) => joiner.add(part, 0)).filter((whole) => whole !== undefined);

describe("a message in parts", () => {
  test("is complete after its last part, whatever it contains, and not before", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.integer({ min: 1, max: 60 }), (bytes, size) => {
        const message = Buffer.from(bytes);
        const parts = splitMessage(message, id(7), size);
        expect(parts.every(isMessagePart)).toBe(true);
        const joiner = new MessageJoiner(10, 1_000_000);
        expect(joinAll(joiner, parts.slice(0, -1))).toEqual([]);
        expect(joinAll(joiner, parts.slice(-1))).toEqual([message]);
        expect(joiner.unfinished).toBe(0);
      }),
    );
  });

  test("two messages whose parts arrive interleaved are joined separately", () => {
    const [a, b] = [Buffer.from("aaaa"), Buffer.from("bbbb")];
    const [a1, a2] = splitMessage(a, id(1), 2) as [Buffer, Buffer];
    const [b1, b2] = splitMessage(b, id(2), 2) as [Buffer, Buffer];
    expect(joinAll(new MessageJoiner(10, 1_000_000), [a1, b1, a2, b2])).toEqual([a, b]);
  });

  test("a message that lost a part is never completed, and is dropped after its maximum age", () => {
    const joiner = new MessageJoiner(10, 1_000_000);
    const [first, , third] = splitMessage(Buffer.from("abcdef"), id(1), 2) as [Buffer, Buffer, Buffer];
    expect(joinAll(joiner, [first, third])).toEqual([]);
    const [next] = splitMessage(Buffer.from("abcdef"), id(2), 2) as [Buffer];
    joiner.add(next, 11);
    expect(joiner.unfinished).toBe(1);
  });

  test("a packet of Moleculer is not mistaken for a part", () => {
    expect(isMessagePart(Buffer.from('{"ver":"5","sender":"gateway.1","id":"1"}'))).toBe(false);
  });
});

describe("the memory for unfinished messages is bounded", () => {
  const message = (byte: number) => splitMessage(Buffer.alloc(60, byte), id(byte), 20) as [Buffer, Buffer, Buffer];

  test("a message of more bytes than the limit is dropped, and so is one with an empty part", () => {
    const joiner = new MessageJoiner(10, 59);
    expect(joinAll(joiner, message(1))).toEqual([]);
    expect(joiner.unfinished).toBe(0);
    joiner.add(message(2)[0].subarray(0, 25), 0);
    expect(joiner.unfinished).toBe(0);
  });

  test("when unfinished messages have twice the limit of bytes, the oldest is dropped", () => {
    const joiner = new MessageJoiner(10, 60);
    const all = Array.from({ length: 7 }, (_, at) => message(at + 1));
    for (const [first] of all) joiner.add(first, 0);
    expect(joiner.unfinished).toBe(6);
    expect(joinAll(joiner, all[0]!.slice(1))).toEqual([]);
    expect(joinAll(joiner, all[6]!.slice(1))).toEqual([Buffer.alloc(60, 7)]);
  });
});
