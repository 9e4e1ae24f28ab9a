import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isInNetworks, type PrivateNetworks } from "./private-networks.ts";

/** Error code of a connection to a forbidden address. */
export const TARGET_REFUSED = "TARGET_REFUSED";

/** Resolves a name to all of its addresses. */
export type ResolveAll = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveBySystem: ResolveAll = (name, done) => systemLookup(name, { all: true }, done);

/** Private, shared, loopback, link-local, reserved, documentation, test and multicast networks (IANA's registries). */
const NOT_PUBLIC_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;

/** Within global unicast: protocol assignments with Teredo, documentation, and 6to4, which wraps any IPv4 address. */
const NOT_PUBLIC_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const notPublic = new BlockList();
for (const [net, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(net, bits, "ipv4");
for (const [net, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(net, bits, "ipv6");
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/** Whether an address is on the public internet. An IPv4 address that is wrapped in IPv6 never is. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublic.check(address, "ipv4");
  return isIP(address) === 6 && globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** A public address requires https; any other address must be one of the allowed networks. */
function isAllowed(address: string, protocol: string, allowPrivate: PrivateNetworks): boolean {
  return isPublicAddress(address) ? protocol === "https:" : isInNetworks(address, allowPrivate);
}

/** Whether connections to the URL's host are allowed, if the host is an IP address, which is never resolved. */
export function isAllowedLiteral(url: URL, allowPrivate: PrivateNetworks): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) === 0 || isAllowed(host, url.protocol, allowPrivate);
}

/** Whether the URL itself allows a request. The addresses of a host name are checked when the name is resolved. */
export function isAllowedUrl(url: string, allowPrivate: PrivateNetworks): boolean {
  const target = new URL(url);
  const isHttp = target.protocol === "https:" || (allowPrivate !== false && target.protocol === "http:");
  return isHttp && isAllowedLiteral(target, allowPrivate);
}

/**
 * Resolves a name for one connection, and refuses the name if any of its addresses is forbidden. The connection uses the
 * checked addresses, so a name that changes its address between check and use (DNS rebinding) gains nothing.
 */
export function guardedLookup(
  protocol: string,
  allowPrivate: PrivateNetworks,
  resolve = resolveBySystem,
): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      if (error !== null) return done(error, []);
      const [first] = addresses;
      const isRefused = addresses.some(({ address }) => !isAllowed(address, protocol, allowPrivate));
      if (first === undefined || isRefused) return done(targetRefused(), []);
      if (options.all === true) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

function targetRefused(): NodeJS.ErrnoException {
  return Object.assign(new Error("the target is not allowed"), { code: TARGET_REFUSED });
}
