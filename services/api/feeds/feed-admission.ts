import type { IncomingMessage } from "node:http";
import { refuse } from "../../contracts/errors.ts";
import type { Feed } from "../domain/feed.ts";
import { rejected, type Rejected } from "../rates/admission.ts";
import { type ClientAddress, requestAddress } from "../rates/client-address.ts";
import type { GatewayRates } from "../rates/gateway-rates.ts";
import { retryAfter } from "../rates/rate-headers.ts";
import type { FeedAuthenticator } from "./feed-authenticator.ts";

/** An admitted request of a feed: the feed, and the client's address. */
export interface AllowedFeed {
  readonly feed: Feed;
  readonly address: string;
}

/** Checks the token of a request: 404 for any invalid token, and 429 after too many of these or over the rate limit. */
export type FeedAdmission = (request: IncomingMessage, token: string) => Promise<AllowedFeed | Rejected>;

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
    // A counter of its own, so that downloads of feeds do not use up the rate limit of the guild's keys.
    const standing = rates.guilds.take(`feeds of ${feed.guildId}`, clock());
    if (standing.waitMs === 0) return { feed, address };
    return { refusal: refuse("TOO_MANY_REQUESTS"), headers: retryAfter(standing) };
  };
}
