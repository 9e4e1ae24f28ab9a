import type { Guard } from "./guard.ts";

const server = { file: "services/api/http-server.ts", testFile: "services/api/connections.unit.test.ts" };
const connections = { file: "services/api/connections.ts", testFile: "services/api/connections.unit.test.ts" };
const head = { file: "services/api/broken-request.ts", testFile: "services/api/http-server.unit.test.ts" };
const proto = { testFile: "test/packages/no-proto.unit.test.ts" };

/** What a connection may do, and how processes are started. */
export const SERVER_GUARDS: readonly Guard[] = [
  {
    ...proto,
    guard: "npm start has no __proto__ (D8)",
    file: "package.json",
    text: '"start": "node --disable-proto=delete ',
    without: '"start": "node ',
    test: "by each npm script",
  },
  {
    ...proto,
    guard: "the image has no __proto__ (D8)",
    file: "Dockerfile",
    text: '"node", "--disable-proto=delete", ',
    without: '"node", ',
    test: "by the image",
  },
  {
    guard: "no process of start:nats has a __proto__ (D8)",
    file: "services/launch/supervise.ts",
    text: 'execArgv: ["--disable-proto=delete"]',
    without: "execArgv: []",
    testFile: "test/processes/start-nats.processes.test.ts",
    test: "no process that runs a service has a __proto__",
    onRealParts: true,
  },
  {
    ...connections,
    guard: "one connection has so many requests waiting, and no more",
    text: "standing.isOver = standing.unanswered > MOST_UNANSWERED;",
    without: "standing.isOver = false;",
    test: "33 requests at once",
  },
  {
    ...connections,
    guard: "what is pipelined beyond that is not parsed",
    text: "setImmediate(throwAwayWhatFollows, socket);",
    without: "",
    test: "those behind the next one are not even parsed",
  },
  {
    ...connections,
    guard: "an answer that nobody takes is let go of",
    text: "setTimeout(() => socket.destroy(), this.#answerMs)",
    without: "setTimeout(() => undefined, this.#answerMs)",
    test: "an answer that nobody takes",
  },
  {
    ...connections,
    guard: "a stop cuts no answer that is being taken",
    file: "services/api/http-server.ts",
    text: "server.closeIdleConnections = () => connections.closeIdle();",
    without: "",
    test: "a stop lets an answer that is being taken go out whole",
  },
  {
    ...connections,
    guard: "the idlest connection makes room",
    text: "if (unanswered === 0) return void socket.destroy();",
    without: "if (unanswered === 0) return;",
    test: "where connections lie idle",
  },
  {
    ...server,
    guard: "connections are limited",
    text: "server.maxConnections = maxConnections;",
    without: "",
    test: "a connection too many is closed at once",
  },
  {
    ...server,
    guard: "headers and bodies that are half sent time out",
    text: "createServer({ ...options, requireHostHeader: false })",
    without: "createServer({ requireHostHeader: false })",
    test: "half-sent: a body",
  },
  {
    ...head,
    guard: "who was told stays on the line for a second and no longer",
    text: "setTimeout(() => socket.destroy(), LINGER_MS)",
    without: "setTimeout(() => undefined, LINGER_MS)",
    testFile: "services/api/connections.unit.test.ts",
    test: "half-sent: headers",
  },
  {
    ...head,
    guard: "no error of HTTP passes for the answer of a request that is under way",
    text: " || underWay?.req.complete === true",
    without: "",
    testFile: "services/api/connections.unit.test.ts",
    test: "what is broken behind a request",
  },
  {
    ...head,
    guard: "headers are counted, and none is left out",
    text: 'if (rawHeaders.length > 2 * MOST_HEADERS) return "HEADERS_TOO_LARGE";',
    without: "",
    test: "a hundred headers are taken",
  },
  {
    ...head,
    guard: "a request has one host (RFC 9112 section 3.2)",
    text: "hosts.length > 1 || ",
    without: "",
    test: "a second host is answered",
  },
  {
    guard: "answers of one turn are written together",
    file: "services/api/http-server.ts",
    text: "await written.add(() => {",
    without: "await (async (write: () => void) => write())(() => {",
    testFile: "services/api/http-server.unit.test.ts",
    test: "answers of one turn",
  },
];
