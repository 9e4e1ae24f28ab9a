import type { IncomingMessage } from "node:http";
import type { Caller } from "../../contracts/contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import { type HttpResponse, CHALLENGE } from "../http/http-response.ts";
import type { ApiKeyAuthenticator } from "../keys/api-key-authenticator.ts";
import { decodeKey, MALFORMED_KEY, presentedKey } from "../keys/key-text.ts";
import { type ClientAddress, requestAddress } from "./client-address.ts";
import type { GatewayRates } from "./gateway-rates.ts";
import { rateHeaders, retryAfter } from "./rate-headers.ts";
import type { RateStanding } from "./rate-limit.ts";

/** An admitted request, with the state of each rate limit that counted it. */
export interface Allowed {
  readonly caller: Caller;
  readonly standings: readonly RateStanding[];
}

export interface Rejected {
  readonly refusal: Refusal;
  readonly headers: HttpResponse["headers"];
}

export interface Admission {
  /** Checks the key: 401 for an invalid key, 429 over the key's rate limit or after too many failures of the address. */
  admit(request: IncomingMessage): Promise<Allowed | Rejected>;
  /** The caller of a request that was admitted before; undefined if its key is not valid any more. Counts nothing. */
  readmit(request: IncomingMessage): Promise<Caller | undefined>;
  /** Checks the rate limit of the guild. The caller's permission for the guild must have been checked. */
  admitToGuild(guildId: string, allowed: Allowed): Allowed | Rejected;
}

export function admission(
  keys: Pick<ApiKeyAuthenticator, "authenticate">,
  rates: GatewayRates,
  addressOf: ClientAddress,
  clock: () => number = Date.now,
): Admission {
  return {
    async admit(request) {
      const address = () => requestAddress(request, addressOf);
      // Clients may share an address, so valid keys still pass after too many failures. Invalid keys get 429 then, and
      // unsigned ids are no longer looked up in the store.
      const mayLookUp = () => rates.failures.peek(address(), clock()).waitMs === 0;
      const reject = (unauthorized: Rejected) => rejected(rates.failures.take(address(), clock()), unauthorized);
      const presented = presentedKey(request.headers.authorization);
      if ("problem" in presented)
        return reject({ refusal: refuse("UNAUTHORIZED", undefined, presented.problem), headers: {} });
      const caller = await keys.authenticate(presented.key, mayLookUp);
      return caller === undefined
        ? reject(invalidKey(presented.key))
        : underLimit({ caller, standings: [] }, rates.keys.take(caller.keyId, clock()));
    },

    async readmit({ headers }) {
      const presented = presentedKey(headers.authorization);
      return "problem" in presented ? undefined : keys.authenticate(presented.key);
    },

    admitToGuild: (guildId, allowed) => underLimit(allowed, rates.guilds.take(guildId, clock())),
  };
}

/** The 401 of an invalid key: one text whether it is unknown, revoked or expired. Header: RFC 6750 section 3.1. */
function invalidKey(key: string): Rejected {
  const message = decodeKey(key) === undefined ? MALFORMED_KEY : "The API key is unknown, revoked or expired";
  const headers = { "www-authenticate": `${CHALLENGE}, error="invalid_token"` };
  return { refusal: refuse("UNAUTHORIZED", undefined, message), headers };
}

/** The refusal of an invalid secret; 429 after too many failures of an address. */
export function rejected(standing: RateStanding, unauthorized: Rejected): Rejected {
  if (standing.waitMs === 0) return unauthorized;
  return { refusal: refuse("TOO_MANY_REQUESTS"), headers: retryAfter(standing) };
}

function underLimit({ caller, standings: before }: Allowed, standing: RateStanding): Allowed | Rejected {
  const standings = [...before, standing];
  if (standing.waitMs === 0) return { caller, standings };
  return { refusal: refuse("TOO_MANY_REQUESTS"), headers: { ...rateHeaders(standings), ...retryAfter(standing) } };
}
