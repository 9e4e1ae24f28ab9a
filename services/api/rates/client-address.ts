import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Says which address a request comes from. */
export type AddressOf = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Believes `X-Forwarded-For` from the trusted proxies alone, and in it the last address that is none of theirs: what
 * stands before that is whatever the client wrote. An IPv6 client is known by its first 64 bits, of which it may have
 * all the rest.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const proxies = trusted.map(networkOf);
  return (socketAddress = "", forwardedFor = "") => {
    const hops = [...forwardedFor.split(",").map((hop) => hop.trim()), socketAddress];
    const client = hops[hops.findLastIndex((hop) => !isTrusted(proxies, hop))] ?? socketAddress;
    return asClient(isIP(client) === 0 ? socketAddress : client);
  };
}

/** The address that a connection comes from; undefined for a trusted proxy, through which many clients come. */
export function connectionAddress(
  trusted: readonly string[],
): (socketAddress: string | undefined) => string | undefined {
  const proxies = trusted.map(networkOf);
  return (socketAddress = "") => (isTrusted(proxies, socketAddress) ? undefined : asClient(socketAddress));
}

/** Whether a text is an address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = ""] = text.split("/", 1);
  // The library also takes short forms of IPv4, such as 10.1.
  return isIP(address) !== 0 && (address === text || ipaddr.isValidCIDR(text));
}

function networkOf(text: string): Network {
  return ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
}

function isTrusted(proxies: readonly Network[], address: string): boolean {
  if (isIP(address) === 0) return false;
  return ipaddr.subnetMatch(ipaddr.process(address), { trusted: [...proxies] }, "other") === "trusted";
}

/** An IPv4 address in the form of an IPv6 one is what it is; of IPv6 the network of a client. */
function asClient(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
