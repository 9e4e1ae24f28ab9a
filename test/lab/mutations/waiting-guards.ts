import type { TestedGuard } from "./guard.ts";

const idempotencyStore = {
  file: "services/api/idempotency/idempotency-records.store.ts",
  testFile: "services/api/idempotency/idempotency-records.store.mongo.test.ts",
  needsServers: true,
};
const lists = {
  file: "services/api/concurrency/request-concurrency.ts",
  testFile: "services/api/concurrency/request-concurrency.unit.test.ts",
};

/** Guards of requests that wait, are repeated, or are lost on their way into the gateway. */
export const WAITING_GUARDS: readonly TestedGuard[] = [
  {
    guard: "the first member of MongoDB initiates no second set when its volume is lost",
    file: "k8s/components/mongodb/set-up.js",
    in: "initiate",
    code: "if ($_ !== undefined) throw $_;",
    without: "",
    testFile: "test/manifests/set-up.unit.test.ts",
    test: "initiates none while another member is down, or belongs to a set whose data this one has lost",
  },
  {
    guard: "a command for operators works where the system has no name for its user, as in a container",
    file: "services/launch/cli/operator-name.ts",
    in: "operatorName",
    code: 'return `user ${$_ ?? "unknown"}`;',
    without: "throw new Error();",
    testFile: "services/launch/cli/operator-name.unit.test.ts",
    test: "is that of the user, and the user's number where the system has no name for it",
  },
  {
    guard: "a body whose connection was lost before it was read keeps no memory",
    file: "services/api/http/request-body.ts",
    in: "readBytes",
    code: "if ($_.destroyed && $_) throw $_;",
    without: "",
    testFile: "services/api/concurrency/large-bodies.unit.test.ts",
    test: "whose connection was lost before it was read keeps no memory",
  },
  {
    ...lists,
    guard: "the wait for the lists of a key does not make the list of a guild a slow one",
    in: "#acquireList",
    code: "$_.discount($_)",
    without: "undefined",
    test: "do not pause after one that only waited for the lists of its key",
  },
  {
    ...lists,
    guard: "the duration of bulk requests does not count as usual",
    in: "#acquireOther",
    code: "isRefusal($SLOT) || $_",
    without: "isRefusal($SLOT)",
    test: "are not compared with the duration of bulk requests",
  },
  {
    ...idempotencyStore,
    guard: "a repeated request frees its Idempotency-Key for no other request",
    in: "idempotencyRecordsStore",
    property: "isShared: { $exists: false }",
    without: "",
    test: "goes to no other request if the request was repeated before it was refused",
  },
  {
    ...idempotencyStore,
    guard: "a repetition takes a free Idempotency-Key",
    in: "idempotencyRecordsStore",
    code: "{ $unset: { isFree: 1 as const } }",
    without: "{ $set: { isFree: true as const } }",
    test: "is that of the repetition after a refusal, until the repetition is refused, too",
  },
  {
    guard: "an invalid Idempotency-Key is refused together with the problems of the body",
    file: "services/api/request-handler.ts",
    in: "requestHandler",
    code: "[...$FIELDS, ...$PRECONDITION, ...$_]",
    without: "[...$FIELDS, ...$PRECONDITION]",
    testFile: "services/api/idempotency/idempotency.nats.test.ts",
    test: "is refused with an invalid key before its guild is looked at, together with the problems of its body",
    needsServers: true,
  },
];
