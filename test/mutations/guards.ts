/** A guard, what stands in its place when it is taken out, and the test that must then fail. */
export interface Guard {
  readonly guard: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly without: string;
  readonly testFile: string;
  /** Part of the test's title. */
  readonly test: string;
}

const mayCall = {
  file: "mixins/may-call.ts",
  testFile: "mixins/may-call.unit.test.ts",
  test: "opens what it was made for",
};
const ring = { file: "services/api/keys/key-ring.ts", testFile: "services/api/keys/key-ring.unit.test.ts" };
const body = { file: "services/api/request-body.ts", testFile: "services/api/http-server.unit.test.ts" };
const json = { file: "services/api/exact-json.ts", testFile: "services/api/exact-json.unit.test.ts" };
const rates = { testFile: "services/api/rates/rates.unit.test.ts" };

/** Guards of which each is shown to be needed: `npm run mutations` takes one out at a time. */
export const GUARDS: readonly Guard[] = [
  {
    ...mayCall,
    guard: "a key to read does not write (D3)",
    text: 'if (access === "write" && caller.access !== "write") return false;',
    without: "",
  },
  { ...mayCall, guard: "a guild's key opens its guilds alone (D3)", text: "guilds.includes(guildId)", without: "true" },
  {
    ...mayCall,
    guard: "what is for calls from inside takes no key",
    text: 'if (keys === "none") return false;',
    without: "",
  },
  {
    ...mayCall,
    guard: "an operator's action takes an operator's key",
    text: 'caller.kind === "operator"',
    without: "true",
  },
  {
    guard: "the owner of an action asks who calls",
    file: "mixins/contract-action.ts",
    text: "if (!mayCall(contract, context.params as object, context.meta.caller))",
    without: "if (!mayCall(contract, context.params as object, undefined))",
    testFile: "mixins/contract-action.contract.test.ts",
    test: "is for those alone whom the contract names",
  },
  {
    ...ring,
    guard: "a key's secret counts, and not its id alone",
    text: "sameDigest(digest, secret.digest)",
    without: "secret.digest.length === digest.length",
    test: "the right id with another secret opens nothing",
  },
  {
    ...ring,
    guard: "a key of another installation is none",
    text: "parts?.env === seal.env ?",
    without: "parts !== undefined ?",
    test: "another installation's key is told by its look",
  },
  {
    ...ring,
    guard: "what is known of a key is believed for less than five seconds",
    text: "REMEMBERED_MS = 4_000",
    without: "REMEMBERED_MS = 40_000",
    test: "believes an answer for less than five seconds",
  },
  {
    guard: "a revoked key opens nothing",
    file: "services/api/domain/api-key.ts",
    text: "return revokedAt !== undefined || now >= expiresAt;",
    without: "return now >= expiresAt && revokedAt !== null;",
    testFile: "services/api/domain/api-key.unit.test.ts",
    test: "that is revoked opens nothing",
  },
  {
    guard: "an expired key opens nothing",
    file: "services/api/domain/api-key.ts",
    text: "return revokedAt !== undefined || now >= expiresAt;",
    without: "return revokedAt !== undefined && now >= expiresAt;",
    testFile: "services/api/domain/api-key.unit.test.ts",
    test: "until it expires and no millisecond longer",
  },
  {
    guard: "a mistyped key is told by its checksum",
    file: "services/api/keys/key-text.ts",
    text: "encodeKey(parts) === text",
    without: "text !== undefined",
    testFile: "services/api/keys/key-text.unit.test.ts",
    test: "with one character changed is no key",
  },
  {
    ...json,
    guard: "nesting is limited before anybody walks it (D8)",
    text: "nesting(text) > MOST_NESTING",
    without: "nesting(text) > Infinity",
    test: "is nested at most 16 deep",
  },
  {
    guard: "nothing that is inherited is read (D8)",
    file: "services/api/wire-fields.ts",
    text: "Object.hasOwn(body, wire) ? body[wire] : undefined",
    without: "body[wire]",
    testFile: "services/api/wire-fields.unit.test.ts",
    test: "nothing that is inherited is read",
  },
  {
    ...body,
    guard: "a compressed body is refused",
    text: 'encoding.toLowerCase() === "identity"',
    without: "encoding.length > 0",
    test: "a compressed body is refused",
  },
  {
    ...body,
    guard: "a body that is not UTF-8 is refused",
    text: "fatal: true",
    without: "fatal: false",
    test: "a body that is not UTF-8 is refused",
  },
  {
    ...body,
    guard: "a body without a length is measured as it comes in (D8)",
    text: "if (size > MOST_BODY_BYTES) resolve",
    without: "if (size > Infinity) resolve",
    test: "a body without a length is measured",
  },
  {
    ...rates,
    guard: "who is over a limit is not counted on, and not let through",
    file: "services/api/rates/doorkeeper.ts",
    text: "if (standing.waitMs === 0) return { caller, standings };",
    without: "if (standing.waitMs >= 0) return { caller, standings };",
    test: "turns away a key that is used too often",
  },
  {
    ...rates,
    guard: "a forwarded address is believed from trusted proxies alone",
    file: "services/api/rates/client-address.ts",
    text: "findLastIndex((hop) => !isTrusted(proxies, hop))",
    without: "findIndex((hop) => !isTrusted(proxies, hop))",
    test: "a header of somebody who is no proxy says nothing",
  },
  {
    ...rates,
    guard: "where too many keys failed, the store is not asked for unknown ones",
    file: "services/api/rates/doorkeeper.ts",
    text: "rates.failures.look(address(), clock()).waitMs === 0",
    without: "rates.failures.look(address(), clock()).waitMs >= 0",
    test: "answers an address from which too many keys failed with 429",
  },
  {
    guard: "a series is filed by its exact period",
    file: "services/calendar-events/domain/lanes.ts",
    text: 'return { unit: "d", period: 7 * interval };',
    without: 'return { unit: "d", period: 7 * (interval > 8 ? 1 : interval) };',
    testFile: "services/calendar-events/domain/filing.unit.test.ts",
    test: "in no place on the same weekday before it",
  },
];
