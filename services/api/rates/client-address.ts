import { BlockList, isIP, isIPv6 } from "node:net";

/** Says which address a request comes from. */
export type AddressOf = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Believes `X-Forwarded-For` from the trusted proxies alone, and in it the last address that is none of theirs: what
 * stands before that is whatever the client wrote. An IPv6 client is known by its first 64 bits, of which it may have
 * all the rest.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const proxies = blockList(trusted);
  return (socketAddress = "", forwardedFor = "") => {
    const hops = [...forwardedFor.split(",").map((hop) => hop.trim()), socketAddress].map(plain);
    const client = hops.findLastIndex((hop) => !isTrusted(proxies, hop));
    const nearest = hops.at(-1) ?? "";
    const address = hops[client] ?? nearest;
    return network(isIP(address) === 0 ? nearest : address);
  };
}

/** The address that a connection comes from; undefined for a trusted proxy, through which many clients come. */
export function connectionAddress(
  trusted: readonly string[],
): (socketAddress: string | undefined) => string | undefined {
  const proxies = blockList(trusted);
  return (socketAddress = "") => {
    const address = plain(socketAddress);
    return isTrusted(proxies, address) ? undefined : network(address);
  };
}

/** Whether a text is an address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIPv6(address) ? 128 : 32;
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(address) !== 0 && isLength && rest.length === 0;
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of networks) {
    const [address = "", bits] = each.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return list;
}

function isTrusted(proxies: BlockList, address: string): boolean {
  return isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** An IPv4 address in the form of an IPv6 one is what it is. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::", 2) ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
