import { crc32 } from "node:zlib";

/** The parts of a key: `gc_<env>_<id>_<secret>_<checksum>`. */
export interface KeyParts {
  /** Which installation it is for, such as `live`: a key of another one is told by its look. */
  readonly env: string;
  /** What it is looked up by; no secret. */
  readonly id: string;
  /** 256 random bits, in hex. */
  readonly secret: string;
}

const KEY = /^gc_([a-z0-9]{1,16})_([a-z0-9]{1,32})_([0-9a-f]{64})_([0-9a-f]{8})$/;

/** The key as its holder has it; the checksum tells a mistyped one, and lets scanners of secrets be sure of a find. */
export function encodeKey({ env, id, secret }: KeyParts): string {
  const text = `gc_${env}_${id}_${secret}`;
  return `${text}_${checksum(text)}`;
}

/** The parts of a text that is a key; undefined for any other, without a look at the database. */
export function decodeKey(text: string): KeyParts | undefined {
  const [, env = "", id = "", secret = "", sum] = KEY.exec(text) ?? [];
  const parts = { env, id, secret };
  return sum !== undefined && encodeKey(parts) === text ? parts : undefined;
}

/** The key in an `Authorization` header (D3), alone or after `Bearer`. */
export function presentedKey(authorization: string | undefined): string | undefined {
  return /^(?:bearer +)?([\x21-\x7e]{1,512})$/i.exec(authorization ?? "")?.[1];
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
