import type { Caller, KeyRule } from "../../services/contracts/contract.ts";

/** A key of each kind. */
export const KEYS = {
  "guild, to read": { kind: "guild", access: "read" },
  "guild, to write": { kind: "guild", access: "write" },
  "service, to read": { kind: "service", access: "read" },
  "service, to write": { kind: "service", access: "write" },
  "operator, to read": { kind: "operator", access: "read" },
  "operator, to write": { kind: "operator", access: "write" },
} as const satisfies Record<string, Pick<Caller, "kind" | "access">>;

export type KeyName = keyof typeof KEYS;
export const KEY_NAMES = Object.keys(KEYS) as KeyName[];

/** The keys that each rule of a contract allows, in their own guild and in another one (D3). */
export const MAY: Readonly<Record<KeyRule, { readonly own: readonly KeyName[]; readonly other: readonly KeyName[] }>> =
  {
    "guild read": {
      own: KEY_NAMES,
      other: ["service, to read", "service, to write", "operator, to read", "operator, to write"],
    },
    "guild write": {
      own: ["guild, to write", "service, to write", "operator, to write"],
      other: ["service, to write", "operator, to write"],
    },
    "operator read": {
      own: ["operator, to read", "operator, to write"],
      other: ["operator, to read", "operator, to write"],
    },
    "operator write": { own: ["operator, to write"], other: ["operator, to write"] },
    none: { own: [], other: [] },
  };
