import { crc32 } from "node:zlib";

/** The prefixes of secret texts: of an API key, and of a feed's token. */
const KEY_PREFIX = "gc";
export const FEED_PREFIX = "gcf";

/** The parts of a key: `gc_<env>_<id>_<secret>_<checksum>`; a feed's token has the same with another prefix. */
export interface KeyParts {
  /** Name of the installation, such as `live`, by which people recognize a key of another installation. */
  readonly env: string;
  /** Public id of the key. */
  readonly id: string;
  /** 256 random bits, in hex. */
  readonly secret: string;
}

const KEY = /^gcf?_([a-z0-9]{1,16})_([a-z0-9]{1,32})_([0-9a-f]{64})_([0-9a-f]{8})$/;

/** The text of a key. The checksum detects typing errors, and lets secret scanners confirm a match. */
export function encodeKey({ env, id, secret }: KeyParts, prefix = KEY_PREFIX): string {
  const text = `${prefix}_${env}_${id}_${secret}`;
  return `${text}_${checksum(text)}`;
}

/** The parts of a key; undefined for text that is not a key. */
export function decodeKey(text: string, prefix = KEY_PREFIX): KeyParts | undefined {
  const [, env = "", id = "", secret = "", sum] = KEY.exec(text) ?? [];
  const parts = { env, id, secret };
  return sum !== undefined && encodeKey(parts, prefix) === text ? parts : undefined;
}

/** The content of an `Authorization` header (D3): the text of a key, or the error of the header. */
export type PresentedKey = { readonly key: string } | { readonly problem: string };

const SEND_HINT = "send `Authorization: Bearer <key>`";

/** Message for text that does not have the form of a key. */
export const MALFORMED_KEY =
  "The header Authorization contains no valid API key: a key has the form gc_<env>_<id>_<secret>_<checksum>, and this " +
  "text does not, or has a typing error";

/** The key in an `Authorization` header, alone or after `Bearer`. */
export function presentedKey(authorization: string | undefined): PresentedKey {
  if (authorization === undefined) return { problem: `The header Authorization is missing: ${SEND_HINT}` };
  const [, scheme, text = ""] = /^(?:([^ ]+) +)?([^]*)$/.exec(authorization.trim()) ?? [];
  if (text === "" || /^bearer$/i.test(text))
    return { problem: `The header Authorization contains no key: ${SEND_HINT}` };
  if (scheme !== undefined && !/^bearer$/i.test(scheme)) {
    return { problem: `The scheme of the header Authorization is not Bearer: ${SEND_HINT}` };
  }
  return /^[\x21-\x7e]{1,512}$/.test(text) ? { key: text } : { problem: MALFORMED_KEY };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
