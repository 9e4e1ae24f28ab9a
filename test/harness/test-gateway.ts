import { setTimeout as pause } from "node:timers/promises";
import type { ServiceSchema } from "moleculer";
import { serve } from "../../mixins/actions/contract-action.ts";
import { startTestServices, type TestServices } from "./test-services.ts";
import { until } from "./until.ts";
import { healthOf } from "../../services/contracts/health.contract.ts";
import type { KeyHashing } from "../../services/api/keys/key-digests.ts";
import { NO_LIMITS } from "../../services/api/rates/gateway-rates.ts";
import { type ApiServiceOptions, apiService } from "../../services/api/api.service.ts";
import type { OwnerName } from "../../services/contracts/service-names.ts";

/** The operator's key of every test gateway. */
const OPERATOR_KEY = "operator-key-of-the-tests";

/** The pepper and environment of every test gateway's keys. */
export const KEY_HASHING: KeyHashing = { pepper: "pepper-of-the-tests-0123456789abcdef", env: "test" };

/** Less than the `Retry-After` of the response, which is a second. */
const RETRY_MS = 100;

/** A gateway under test, on a free port, with the services behind it. */
export interface TestGateway extends TestServices {
  readonly baseUrl: string;
  /**
   * Sends a POST request with a value as JSON, or with a raw text; again while the response is `UNAVAILABLE`: on a busy
   * machine MongoDB may not respond in time, and then nothing was changed.
   */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Sends a POST request once: for tests of services that are unavailable. */
  postOnce(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Sends any request, without a key. */
  request(path: string, init?: RequestInit): Promise<HttpResponse>;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The raw text of the body. */
  readonly text: string;
  /** The parsed body, in which large integers are rounded. */
  readonly body: Record<string, unknown>;
}

/** A stand-in for a service: it is healthy, and has the given actions. */
export function standIn(name: OwnerName, actions: ServiceSchema["actions"] = {}): ServiceSchema {
  return { name, actions: { ...serve(healthOf(name), async () => ({ database: true })), ...actions } };
}

export async function startTestGateway(
  make: (mongoUrl: string) => readonly ServiceSchema[],
  options: Partial<ApiServiceOptions> = { apiKey: OPERATOR_KEY },
): Promise<TestGateway> {
  let port = 0;
  const onListening = (taken: number) => (port = taken);
  const services = await startTestServices((mongoUrl) => [
    ...make(mongoUrl),
    apiService({
      mongoUrl,
      port: 0,
      host: "127.0.0.1",
      hashing: KEY_HASHING,
      rates: NO_LIMITS,
      onListening,
      ...options,
    }),
  ]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const request: TestGateway["request"] = async (path, init) => responseOf(await fetch(baseUrl + path, init));
  const postOnce: TestGateway["post"] = (path, body, headers = {}) =>
    request(path, {
      method: "POST",
      headers: { authorization: OPERATOR_KEY, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    ...services,
    baseUrl,
    request,
    postOnce,
    async post(path, body, headers) {
      let response = await postOnce(path, body, headers);
      while (response.body["code"] === "UNAVAILABLE") {
        await pause(RETRY_MS);
        response = await postOnce(path, body, headers);
      }
      return response;
    },
  };
}

/** Waits until the gateway knows every service. */
export async function untilReady({ request }: Pick<TestGateway, "request">): Promise<void> {
  await until(async () => (await request("/health/ready")).status === 200, "the gateway is ready");
}

async function responseOf(response: Response): Promise<HttpResponse> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const body = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, body };
}
