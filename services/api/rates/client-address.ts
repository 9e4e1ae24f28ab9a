import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The address of a client, from the address of the socket and `X-Forwarded-For`. */
export type ClientAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Uses `X-Forwarded-For` only from trusted proxies, and in it the last address that is no trusted proxy: the client may
 * have written the addresses before it. An IPv6 client is identified by its first 64 bits, since it may own all addresses
 * below them.
 */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = trusted.map(networkOf);
  return (socketAddress = "", forwardedFor = "") => {
    const hops = [...forwardedFor.split(",").map((hop) => hop.trim()), socketAddress];
    const client = hops[hops.findLastIndex((hop) => !isTrusted(proxies, hop))] ?? socketAddress;
    return normalized(isIP(client) === 0 ? socketAddress : client);
  };
}

/** The client address of a request. */
export function requestAddress({ headers, socket }: AddressedRequest, addressOf: ClientAddress): string {
  const forwarded = headers["x-forwarded-for"];
  return addressOf(socket?.remoteAddress, typeof forwarded === "string" ? forwarded : undefined);
}

type AddressedRequest = Pick<IncomingMessage, "headers"> & { readonly socket?: IncomingMessage["socket"] };

/** The address of a connection; undefined for a trusted proxy, which serves many clients. */
export function connectionAddress(
  trusted: readonly string[],
): (socketAddress: string | undefined) => string | undefined {
  const proxies = trusted.map(networkOf);
  return (socketAddress = "") => (isTrusted(proxies, socketAddress) ? undefined : normalized(socketAddress));
}

/** Whether a text is an IP address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = ""] = text.split("/", 1);
  // ipaddr.js also accepts short forms of IPv4, such as 10.1.
  return isIP(address) !== 0 && (address === text || ipaddr.isValidCIDR(text));
}

function networkOf(text: string): Network {
  return ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
}

function isTrusted(proxies: readonly Network[], address: string): boolean {
  if (isIP(address) === 0) return false;
  return ipaddr.subnetMatch(ipaddr.process(address), { trusted: [...proxies] }, "other") === "trusted";
}

/** An IPv4-mapped IPv6 address becomes the IPv4 address; another IPv6 address becomes its /64 network. */
function normalized(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
