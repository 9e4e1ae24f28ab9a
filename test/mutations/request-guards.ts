import type { Guard } from "./guard.ts";

const body = { file: "services/api/request-body.ts", testFile: "services/api/http-server.unit.test.ts" };
const json = { file: "services/api/exact-json.ts", testFile: "services/api/exact-json.unit.test.ts" };
const validator = { file: "mixins/check-params.ts", testFile: "mixins/check-params.unit.test.ts" };
const path = { file: "services/api/request-path.ts", testFile: "services/api/request-path.unit.test.ts" };
const wire = { file: "services/api/wire-fields.ts", testFile: "services/api/wire-fields.unit.test.ts" };

/** What a request may hold, and what is told of an error. */
export const REQUEST_GUARDS: readonly Guard[] = [
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
    text: 'encoding !== undefined && encoding.toLowerCase() !== "identity"',
    without: "false",
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
    ...validator,
    guard: "no refused value is repeated",
    text: 'WORDS[error.type] ?? ["MALFORMED", () => "is not valid"]',
    without: 'WORDS[error.type] ?? ["MALFORMED", () => `is ${String(error.actual)}`]',
    test: "is never repeated",
  },
  {
    ...validator,
    guard: "a caller's params are left as they are",
    text: "validate({ ...params })",
    without: "validate(params)",
    test: "what is checked is left as it came",
  },
  {
    ...validator,
    guard: "a param that the contract does not name is refused",
    text: "{ ...contract.params, $$strict: true }",
    without: "{ ...contract.params }",
    test: "every bad field is named at once",
  },
  {
    ...wire,
    guard: "an operator of the database is no id",
    file: "services/contracts/field-rules.ts",
    text: 'reference: Rule = { type: "string" }',
    without: 'reference: Rule = { type: "any" }',
    test: "an operator of the database is no value",
  },
  {
    ...wire,
    guard: "a BigInt becomes the text that it spells (D7)",
    text: 'typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value',
    without: "Number.isSafeInteger(value) ? String(value) : value",
    test: "the guild id",
  },
  {
    ...wire,
    guard: "a number beyond all numbers is out of every range",
    text: "Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)))",
    without: "Number(value)",
    test: "a number beyond all numbers",
  },
  {
    ...json,
    guard: "a 64-bit integer is not rounded (D7)",
    text: "return BigInt(source);",
    without: "return value;",
    test: "keeps every digit of an integer",
  },
  {
    guard: "a guild id beyond 64 bits is none (D7)",
    file: "services/contracts/ids.ts",
    text: "(text.length < INT64_MAX.length || text <= INT64_MAX)",
    without: "text.length <= INT64_MAX.length",
    testFile: "mixins/check-params.unit.test.ts",
    test: "is told what a guild id is",
  },
  {
    ...path,
    guard: "an unforeseen error is a 500 that ends nothing and tells nothing (D4)",
    text: 'return refusalAnswer(refuse("INTERNAL"), requestId);',
    without: "throw error;",
    test: "is a 500 with a fixed text",
  },
  {
    guard: "an unforeseen error's text stays in its process (D4)",
    file: "mixins/contract-action.ts",
    text: 'return asError(refuse("INTERNAL"));',
    without: "return error;",
    testFile: "mixins/contract-action.contract.test.ts",
    test: "lets no text of an unforeseen error cross the bus",
  },
  {
    ...path,
    guard: "a query beside a body is read by nobody (D2)",
    text: "const decoded = route.decode(body);",
    without:
      'const decoded = route.decode({ ...body, ...Object.fromEntries(new URL(request.url ?? "", "http://x").searchParams) });',
    test: "a query beside a body changes nothing",
  },
  {
    ...path,
    guard: "another method is a 405 (D1)",
    text: 'if (request.method !== "POST") return notAllowed("POST", requestId);',
    without: "",
    test: "another method on a known path is a 405",
  },
  {
    ...path,
    guard: "nothing is read of who has no key (D3)",
    text: "const admitted = await door.admit(request);",
    without: "await readJsonBody(request);\n    const admitted = await door.admit(request);",
    test: "of who has no key nothing is read",
  },
  {
    ...path,
    guard: "what has no route is nowhere",
    text: 'refusalAnswer(refuse("ROUTE_NOT_FOUND"), requestId)',
    without: "answerRoute(routes[0] as Route, request, requestId)",
    test: "an action without a route is nowhere",
  },
  {
    guard: "moleculer-web offers nothing to the bus",
    file: "services/api/api.service.ts",
    text: "  actions: {},",
    without: "",
    testFile: "services/api/api.service.unit.test.ts",
    test: "offers its work on keys alone",
  },
  {
    guard: "moleculer-web listens to nothing",
    file: "services/api/api.service.ts",
    text: "server: false, routes: null",
    without: "server: true",
    testFile: "services/api/api.service.unit.test.ts",
    test: "has moleculer-web listen to nothing",
  },
  {
    ...body,
    guard: "a body of another type is refused (D8)",
    text: 'if (!isPlainJson(request.headers)) return refuse("UNSUPPORTED_MEDIA_TYPE");',
    without: "",
    test: "content type",
  },
];
