import { type Answer, post } from "../../real-parts/launched.ts";
import { type Outcome, type Purpose, type Tally, tallyOf } from "./tally.ts";

/** A client of the API that notes how each of its requests went. */
export interface Client {
  read(path: string, body: object): Promise<Answer>;
  write(path: string, body: object): Promise<Answer>;
  tally(): Tally;
  /** Each request that failed, a line of JSON: what the replicas' logs are searched for. */
  failed(): readonly string[];
}

const NO_ANSWER: Answer = { status: 0, headers: new Headers(), body: {} };
/** The balancer's word for a gateway that was lost with the request in its hands. */
const CUT_OFF = 502;

/** Like any careful client it sends a read once more when the connection was lost, and a write never. */
export function newClient(baseUrl: string, key: string): Client {
  const outcomes: Outcome[] = [];
  const failed: string[] = [];
  let repeated = 0;

  async function once(purpose: Purpose, path: string, body: object): Promise<Answer> {
    const answer = await post(baseUrl, key, path, body).catch(() => NO_ANSWER);
    const isLost = answer.status === 0 || answer.status === CUT_OFF;
    if (purpose === "write" || !isLost) return answer;
    repeated += 1;
    return post(baseUrl, key, path, body).catch(() => NO_ANSWER);
  }

  async function noted(purpose: Purpose, path: string, body: object): Promise<Answer> {
    const sentAt = performance.now();
    const answer = await once(purpose, path, body);
    const code = answer.body["code"] as string | undefined;
    const [status, ms] = [answer.status, performance.now() - sentAt];
    outcomes.push({ purpose, status, code, sentAt, ms });
    const requestId = answer.body["request_id"];
    const until = new Date().toISOString();
    if (status !== 200) failed.push(JSON.stringify({ until, path, status, code, ms: Math.round(ms), requestId }));
    return answer;
  }

  return {
    read: (path, body) => noted("read", path, body),
    write: (path, body) => noted("write", path, body),
    tally: () => tallyOf(outcomes, repeated),
    failed: () => failed,
  };
}
