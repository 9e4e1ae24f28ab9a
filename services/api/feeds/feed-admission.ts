import type { IncomingMessage } from "node:http";
import { refuse } from "../../contracts/errors.ts";
import type { Feed } from "../domain/feed.ts";
import { rejected, type Rejected } from "../rates/admission.ts";
import { type ClientAddress, requestAddress } from "../rates/client-address.ts";
import type { GatewayRates } from "../rates/gateway-rates.ts";
import { retryAfter } from "../rates/rate-headers.ts";
import type { FeedAuthenticator } from "./feed-authenticator.ts";

/** A request of a feed that passed, and the address of its client. */
export interface AdmittedFeed {
  readonly feed: Feed;
  readonly address: string;
}

/** Checks the token: 404 for one that opens nothing, for whichever reason, and 429 after too many of them or over the limit. */
export type FeedAdmission = (request: IncomingMessage, token: string) => Promise<AdmittedFeed | Rejected>;

export function feedAdmission(
  feeds: Pick<FeedAuthenticator, "authenticate">,
  rates: GatewayRates,
  addressOf: ClientAddress,
  clock: () => number = Date.now,
): FeedAdmission {
  return async (request, token) => {
    const address = requestAddress(request, addressOf);
    const feed = await feeds.authenticate(token);
    if (feed === undefined) {
      return rejected(rates.failures.take(address, clock()), { refusal: refuse("FEED_NOT_FOUND"), headers: {} });
    }
    // Counted apart: whoever has the address of a feed cannot use up what the guild's keys may ask.
    const standing = rates.guilds.take(`feeds of ${feed.guildId}`, clock());
    if (standing.waitMs === 0) return { feed, address };
    return { refusal: refuse("TOO_MANY_REQUESTS"), headers: retryAfter(standing) };
  };
}
