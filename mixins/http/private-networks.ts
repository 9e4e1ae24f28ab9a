import { BlockList, isIP } from "node:net";
import type { Setting } from "../settings/environment.ts";

/** The addresses that are allowed although they are not public: none, all, or those of some networks. */
export type PrivateNetworks = boolean | BlockList;

const CHOICES: ReadonlyMap<string, boolean> = new Map([
  ["no", false],
  ["yes", true],
]);

/** Whether an address that is not public is allowed. */
export function isInNetworks(address: string, networks: PrivateNetworks): boolean {
  if (typeof networks === "boolean") return networks;
  return networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** A setting `no`, which is the default, `yes`, or a list of networks in CIDR notation (RFC 4632, RFC 4291) and addresses. */
export function privateNetworksSetting(about: string): Setting<PrivateNetworks> {
  return {
    about,
    defaultText: "no",
    expects: "no, yes, or networks separated by commas, such as 10.1.0.0/16,fd00::/8,192.168.1.7",
    parse: (text) => CHOICES.get(text.toLowerCase()) ?? networksIn(text),
  };
}

function networksIn(text: string): BlockList | undefined {
  const networks = new BlockList();
  for (const entry of text.split(",")) {
    const [address = "", bits, ...more] = entry.trim().split("/");
    const family = isIP(address);
    const longest = family === 6 ? 128 : 32;
    const length = bits === undefined ? longest : lengthIn(bits);
    if (family === 0 || more.length > 0 || !(length <= longest)) return undefined;
    networks.addSubnet(address, length, family === 6 ? "ipv6" : "ipv4");
  }
  return networks;
}

/** The length of a prefix; NaN for another text. */
function lengthIn(text: string): number {
  return /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
}
