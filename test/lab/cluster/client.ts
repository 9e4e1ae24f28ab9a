import { setTimeout as pause } from "node:timers/promises";
import { type ApiResponse, post } from "../../harness/guildcal-process.ts";
import { isDisturbed, type Outcome, type Purpose, type Tally, tallyOf } from "./tally.ts";

/** A client of the API that records the outcome of each request. */
export interface Client {
  read(path: string, body: object): Promise<ApiResponse>;
  write(path: string, body: object): Promise<ApiResponse>;
  tally(): Tally;
  /** A line of JSON for each request that failed or was slow, with the ids to search for in the replicas' logs. */
  disturbed(): readonly string[];
}

const NO_RESPONSE: ApiResponse = { status: 0, headers: new Headers(), body: {} };
/** The balancer's status after a gateway crashed during the request. */
const CONNECTION_LOST = 502;

/** On a busy machine the balancer notices some milliseconds later that its other connections to a killed gateway are lost, too. */
const REPEAT_AFTER_MS = 100;

/** Repeats a read once after a lost connection and a pause, and never repeats a write. */
export function newClient(baseUrl: string, key: string): Client {
  const outcomes: Outcome[] = [];
  const disturbed: string[] = [];
  let repeated = 0;

  async function once(purpose: Purpose, path: string, body: object): Promise<ApiResponse> {
    const response = await post(baseUrl, key, path, body).catch(() => NO_RESPONSE);
    const isLost = response.status === 0 || response.status === CONNECTION_LOST;
    if (purpose === "write" || !isLost) return response;
    repeated += 1;
    await pause(REPEAT_AFTER_MS);
    return post(baseUrl, key, path, body).catch(() => NO_RESPONSE);
  }

  async function recorded(purpose: Purpose, path: string, body: object): Promise<ApiResponse> {
    const sentAt = performance.now();
    const response = await once(purpose, path, body);
    const code = response.body["code"] as string | undefined;
    const outcome = { purpose, status: response.status, code, sentAt, ms: performance.now() - sentAt };
    outcomes.push(outcome);
    const requestId = response.headers.get("x-request-id");
    const until = new Date().toISOString();
    const line = { until, path, status: outcome.status, code, ms: Math.round(outcome.ms), requestId };
    if (isDisturbed(outcome)) disturbed.push(JSON.stringify(line));
    return response;
  }

  return {
    read: (path, body) => recorded("read", path, body),
    write: (path, body) => recorded("write", path, body),
    tally: () => tallyOf(outcomes, repeated),
    disturbed: () => disturbed,
  };
}
