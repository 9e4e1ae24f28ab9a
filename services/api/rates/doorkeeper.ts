import type { IncomingMessage } from "node:http";
import type { Caller } from "../../contracts/contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import { type Answer, CHALLENGE } from "../answer.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { decodeKey, MALFORMED_KEY, presentedKey } from "../keys/key-text.ts";
import type { AddressOf } from "./client-address.ts";
import type { GatewayRates } from "./gateway-rates.ts";
import { rateHeaders, retryAfter } from "./rate-headers.ts";
import type { RateStanding } from "./rate-limit.ts";

/** Somebody who is let in, and where he stands with the limits that he fell under. */
export interface Admitted {
  readonly caller: Caller;
  readonly standings: readonly RateStanding[];
}

export interface TurnedAway {
  readonly refusal: Refusal;
  readonly headers: Answer["headers"];
}

export interface Doorkeeper {
  /** By the key: 401 for one that opens nothing, 429 for one that is used too often, or where too many failed. */
  admit(request: IncomingMessage): Promise<Admitted | TurnedAway>;
  /** By the guild, once it is known that the caller may ask for it. */
  admitToGuild(guildId: string, before: Admitted): Admitted | TurnedAway;
}

export function doorkeeper(
  keys: Pick<KeyRing, "authenticate">,
  rates: GatewayRates,
  addressOf: AddressOf,
  clock: () => number = Date.now,
): Doorkeeper {
  return {
    async admit({ headers, socket }) {
      const address = () => {
        const forwarded = headers["x-forwarded-for"];
        return addressOf(socket?.remoteAddress, typeof forwarded === "string" ? forwarded : undefined);
      };
      // Others may share the address, so nobody is shut out: but for ids that were made up the store is no longer
      // asked, and keys that fail are answered with 429.
      const mayAsk = () => rates.failures.look(address(), clock()).waitMs === 0;
      const fail = (unauthorized: TurnedAway) => failed(rates.failures.take(address(), clock()), unauthorized);
      const presented = presentedKey(headers.authorization);
      if ("problem" in presented)
        return fail({ refusal: refuse("UNAUTHORIZED", undefined, presented.problem), headers: {} });
      const caller = await keys.authenticate(presented.key, mayAsk);
      return caller === undefined
        ? fail(invalidKey(presented.key))
        : admitted({ caller, standings: [] }, rates.keys.take(caller.keyId, clock()));
    },

    admitToGuild: (guildId, before) => admitted(before, rates.guilds.take(guildId, clock())),
  };
}

/** A key that opens nothing: one text whether it is unknown, revoked or expired. RFC 6750 section 3.1 has the header. */
function invalidKey(key: string): TurnedAway {
  const message = decodeKey(key) === undefined ? MALFORMED_KEY : "The API key is unknown, revoked or expired";
  const headers = { "www-authenticate": `${CHALLENGE}, error="invalid_token"` };
  return { refusal: refuse("UNAUTHORIZED", undefined, message), headers };
}

function failed(standing: RateStanding, unauthorized: TurnedAway): TurnedAway {
  if (standing.waitMs === 0) return unauthorized;
  return { refusal: refuse("TOO_MANY_REQUESTS"), headers: retryAfter(standing) };
}

function admitted({ caller, standings: before }: Admitted, standing: RateStanding): Admitted | TurnedAway {
  const standings = [...before, standing];
  if (standing.waitMs === 0) return { caller, standings };
  return { refusal: refuse("TOO_MANY_REQUESTS"), headers: { ...rateHeaders(standings), ...retryAfter(standing) } };
}
