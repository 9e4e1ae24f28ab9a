import { describe, expect, test } from "@jest/globals";
import { BlockReader } from "./server-sent-events.js";

describe("the stream of changes", () => {
  test("is read the same in whatever pieces it arrives", () => {
    const stream = 'event: changes\nid: t1\ndata: {"changes":[],"more":false}\n\n: heartbeat\nid: t2\n\n';
    const expected = [
      { id: "t1", data: '{"changes":[],"more":false}' },
      { id: "t2", data: undefined },
    ];
    for (let size = 1; size <= stream.length; size += 1) {
      const reader = new BlockReader();
      const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
        stream.slice(at * size, at * size + size),
      );
      expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(expected);
    }
  });

  test("a block without an end does not fill the memory", () => {
    const reader = new BlockReader();
    expect(() => {
      for (let piece = 0; piece < 100; piece += 1) reader.read("x".repeat(100_000));
    }).toThrow("too large");
  });
});
