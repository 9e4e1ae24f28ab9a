import type { TestedGuard } from "./guard.ts";

const http = { file: "clients/http/src/client.ts", testFile: "clients/http/src/client.contract.test.ts" };
const json = { file: "clients/http/src/exact-json.ts", testFile: "clients/http/src/exact-json.unit.test.ts" };
const bus = { file: "clients/contracts/src/bus.ts", testFile: "clients/contracts/src/bus.unit.test.ts" };
const packed = { file: "clients/generate/emit.ts", testFile: "clients/generate/emit.unit.test.ts" };

/** Guards of the clients that other projects install. */
export const CLIENT_GUARDS: readonly TestedGuard[] = [
  {
    ...http,
    guard: "a client does not repeat a write that may have been done",
    file: "clients/http/src/retry-policy.ts",
    in: "waitBeforeRetry",
    code: "mayBeDone($_) ? $REPEATABLE : $OTHER",
    without: "mayBeDone(arguments[0]) ? true : $OTHER",
    test: "does not repeat an update after",
  },
  {
    ...http,
    guard: "a client waits at least as long as Retry-After says",
    file: "clients/http/src/retry-policy.ts",
    in: "waitBeforeRetry",
    code: "return $_ === undefined ? $BACKOFF : $NAMED;",
    without: "return $BACKOFF;",
    test: "not before Retry-After",
  },
  {
    ...http,
    guard: "a client sends an Idempotency-Key with each create",
    in: "prepare",
    code: "$GIVEN ?? crypto.randomUUID()",
    without: "$GIVEN",
    test: "sends an Idempotency-Key with a create",
  },
  {
    ...http,
    guard: "a client follows no redirect",
    in: "sendOnce",
    property: "redirect: $_",
    without: "",
    test: "follows no redirect",
  },
  {
    ...http,
    guard: "a client modifies a resource only at the revision that it read",
    in: "modify",
    property: "ifMatch: $_",
    without: "",
    test: "on condition of the revision that it read",
  },
  {
    ...http,
    guard: "a client's wait ends with the caller's signal",
    file: "clients/http/src/pause.ts",
    in: "pause",
    code: "$_?.addEventListener($$$EVENT)",
    without: "undefined",
    test: "caller's signal between two attempts",
  },
  {
    ...json,
    guard: "a client rounds no integer of a response",
    in: "isTooLong",
    code: "!Number.isSafeInteger(Number($_))",
    without: "false",
    test: "has any integer exactly",
  },
  {
    ...json,
    guard: "a client does not read integers inside strings",
    in: "parseExactly",
    code: "$_.replaceAll(STRING_OR_NUMBER, $REPLACE)",
    without: "arguments[0].replaceAll(/-?\\d+/g, $REPLACE)",
    test: "is otherwise equal to the result of JSON.parse",
  },
  {
    ...json,
    guard: "a client does not send a number that has lost digits",
    in: "stringifyExactly",
    code: "throw new TypeError($_);",
    without: "",
    test: "a number has lost digits",
  },
  {
    ...bus,
    guard: "a write over the bus has a write id",
    in: "call",
    code: '$_ === "write" ? $ID : $META',
    without: "$META",
    test: "of a write has its own id",
  },
  {
    ...bus,
    guard: "a listener of Moleculer 0.14 gets a context",
    in: "on",
    property: "context: $_",
    without: "",
    test: "a listener of Moleculer 0.14",
  },
  {
    ...packed,
    guard: "no declaration is left out of a package",
    in: "declarationsOf",
    code: "throw new Error($_);",
    without: "",
    test: "are refused where a type would have to be inferred",
  },
];
