import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { MAX_PAYLOAD_BYTES, packetProblem, PART_BYTES } from "./packet-limits.ts";

const { Encoder } = createRequire(import.meta.url)("cbor-x") as {
  Encoder: new (options: object) => { encode(value: unknown): Buffer };
};
const encoder = new Encoder({ useRecords: false, useTag259ForMaps: false });
const packet = (fields: object) =>
  encoder.encode({ ver: "5", sender: `calendar-events.${"x".repeat(109)}`, ...fields });
const ids = (count: number) => Array.from({ length: count }, (_, at) => String(10n ** 19n + BigInt(at)));

/** The meta of every call: the ids of request and trace, and a key for a thousand guilds. */
const meta = {
  requestId: "x".repeat(128),
  traceparent: "x".repeat(55),
  caller: { keyId: "x".repeat(20), kind: "guild", access: "write", guilds: ids(1_000) },
};
const request = (params: object) =>
  packet({ id: "x".repeat(36), action: "x".repeat(60), params, meta, timeout: 6_000 });

describe("the limits of packets", () => {
  test.each([
    ["a whole body of text", { info: "é".repeat(32_000) }],
    [
      "two lists of a thousand ids",
      { subscribersRole: ids(1_000), subscribersUser: ids(1_000), info: "x".repeat(4_000) },
    ],
    ["a thousand windows", { windows: Array.from({ length: 1_000 }, () => ({ from: 2.5e14, until: 2.5e14 })) }],
  ])("accept a request with %s, of a key for a thousand guilds", (_, params) => {
    expect(packetProblem("REQ", request(params))).toBeUndefined();
  });

  test("accept a response of ten thousand occurrences, and one of a thousand announcements with all their subscribers", () => {
    const occurrence = { occurrenceId: "x".repeat(45), eventId: "x".repeat(26), startsAt: 2.5e14, endsAt: 2.5e14 };
    const recurrence = { frequency: "YEARLY", count: -1, interval: 1 };
    const listed = { ...occurrence, calendarNumber: 1, color: "MAC_AND_CHEESE", recurs: true, recurrence };
    const announcement = { id: "x".repeat(36), subscribersRole: ids(1_000), subscribersUser: ids(1_000) };
    const response = (data: unknown) => packet({ id: "x".repeat(36), success: true, data });
    expect(packetProblem("RES", response(Array.from({ length: 10_000 }, () => listed)))).toBeUndefined();
    expect(packetProblem("RES", response(Array.from({ length: 1_000 }, () => announcement)))).toBeUndefined();
  });

  test("accept a heartbeat, and nothing much larger", () => {
    const beat = { cpu: 12, instanceID: "x".repeat(36), seq: 7 };
    expect(packetProblem("HEARTBEAT", packet(beat))).toBeUndefined();
    expect(packetProblem("HEARTBEAT", packet({ ...beat, also: "x".repeat(1_024) }))).toBe("larger than 1024 bytes");
  });

  test("the NATS server accepts a part of a large response, and not much more", () => {
    const conf = readFileSync(`${import.meta.dirname}/../../k8s/components/nats/nats.conf`, "utf8");
    expect(conf).toContain(`\nmax_payload: ${MAX_PAYLOAD_BYTES}\n`);
    expect(MAX_PAYLOAD_BYTES / PART_BYTES).toBe(1.25);
  });
});
