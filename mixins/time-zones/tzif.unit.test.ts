import { describe, expect, test } from "@jest/globals";
import { parseTzif } from "./tzif.ts";

interface Given {
  readonly version?: string;
  readonly changes?: readonly (readonly [at: number, type: number])[];
  readonly types?: readonly number[];
  readonly leapSeconds?: number;
  readonly footer?: string;
}

/** A TZif file of version 2 or later: an empty block of version 1, then this one (RFC 9636, section 3). */
function tzif({ version = "2", changes = [], types = [0], leapSeconds = 0, footer = "\nUTC0\n" }: Given): Buffer {
  const header = (counts: readonly number[]) => {
    const bytes = Buffer.alloc(44);
    bytes.write(`TZif${version}`, "latin1");
    for (const [place, count] of counts.entries()) bytes.writeUInt32BE(count, 20 + 4 * place);
    return bytes;
  };
  const times = Buffer.alloc(changes.length * 8);
  for (const [place, [at]] of changes.entries()) times.writeBigInt64BE(BigInt(at), place * 8);
  const typeBytes = Buffer.alloc(types.length * 6);
  for (const [place, seconds] of types.entries()) typeBytes.writeInt32BE(seconds, place * 6);
  return Buffer.concat([
    header([0, 0, 0, 0, 1, 1]),
    Buffer.alloc(7),
    header([0, 0, leapSeconds, changes.length, types.length, 4]),
    times,
    Buffer.from(changes.map(([, type]) => type)),
    typeBytes,
    Buffer.from("UTC\0", "latin1"),
    Buffer.alloc(leapSeconds * 12),
    Buffer.from(footer, "latin1"),
  ]);
}

describe("a TZif file", () => {
  const changes = [
    [-1000, 1],
    [2000, 2],
    [3000, 1],
  ] as const;
  const given = { changes, types: [-7200, 3600, 3600] };

  test("is read with times beyond 32 bits and before 1970, without changes that keep the offset", () => {
    const late = [...changes, [253_402_300_799, 0]] as const;
    expect(parseTzif(tzif({ ...given, changes: late }))).toEqual({
      first: -7_200_000,
      changes: [
        { at: -1_000_000, offset: 3_600_000 },
        { at: 253_402_300_799_000, offset: -7_200_000 },
      ],
      yearly: [],
    });
  });

  test("continues by the TZ string at its end", () => {
    expect(parseTzif(tzif({ ...given, footer: "\nEST5EDT,M3.2.0,M11.1.0\n" }))?.yearly).toHaveLength(2);
  });

  test.each([
    ["of version 1", { ...given, version: "\0" }],
    ["with leap seconds", { ...given, leapSeconds: 1 }],
    ["with a TZ string that is none", { ...given, footer: "\nnonsense\n" }],
    ["without its end", { ...given, footer: "\n" }],
    ["with a type that it lacks", { ...given, types: [], footer: "" }],
  ])("%s is refused", (_, wrong) => {
    expect(parseTzif(tzif(wrong))).toBeUndefined();
  });

  test("that is truncated anywhere, or claims more data than it has, is refused", () => {
    const whole = tzif(given);
    for (let length = 0; length < whole.length; length += 1)
      expect(parseTzif(whole.subarray(0, length))).toBeUndefined();
    const wrongCount = Buffer.from(whole);
    wrongCount.writeUInt32BE(0xff_ff_ff_ff, 51 + 32);
    expect(parseTzif(wrongCount)).toBeUndefined();
  });
});
