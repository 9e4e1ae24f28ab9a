import type { Example } from "../route.ts";

const id = "3fa94c01b2d7";
const keyOf = (digit: string, checksum: string) => `gc_live_${id}_${digit.repeat(64)}_${checksum}`;

const made = {
  kind: "guild",
  access: "write",
  guilds: ["375357265198317579"],
  label: "dashboard",
};

export const keyExamples = {
  create: {
    request: { ...made, expires: 4_102_444_800_000 },
    response: { message: "Key created", id, key: keyOf("0", "00000000") },
  },
  list: {
    request: {},
    response: { keys: [{ id, ...made, created: 1_893_456_000_000, expires: 4_102_444_800_000 }] },
  },
  audit: {
    request: { id, amount: 10 },
    response: { changes: [{ at: 1_893_456_000_001, change: "created", key_id: id, by: "5d0e71b8c4aa", ...made }] },
  },
  rotate: {
    request: { id, overlap_hours: 48 },
    response: { message: "Key rotated", id, key: keyOf("1", "11111111"), previous_until: 1_893_628_800_000 },
  },
  revoke: { request: { id }, response: { message: "Key revoked" } },
} satisfies Record<string, Example>;
