/** The limits of one CBOR item (RFC 8949). */
export interface CborLimits {
  readonly bytes: number;
  /** Total number of items: each key, each value, each array and each map. */
  readonly items: number;
  /** Total number of arrays and maps: an empty one takes one byte here, and fifty in memory. */
  readonly containers: number;
  /** Total number of keys: a key that the process has not seen before costs more than a value. */
  readonly keys: number;
}

/** Largest nesting of arrays and maps. The body of a request may be 16 deep (D8); the contracts use 3. */
const MAX_DEPTH = 24;
/** Largest number of keys of one map. The largest map of a packet has a key for each action of a service. */
const MAX_MAP_KEYS = 200;

const [UNSIGNED, NEGATIVE, TEXT, ARRAY, MAP, SIMPLE] = [0, 1, 3, 4, 5, 7];
const [ONE_BYTE, TWO_BYTES, FOUR_BYTES, EIGHT_BYTES] = [24, 25, 26, 27];
/** The simple values false, true, null and undefined. */
const [FIRST_SIMPLE, LAST_SIMPLE] = [20, 23];

/**
 * Returns the reason why the bytes are not one CBOR map of numbers, texts, booleans, null, undefined, arrays and maps
 * within the limits; undefined if they are. The check is one pass that builds nothing.
 *
 * The decoder (cbor-x) accepts much more: big numbers, in quadratic time (64 KiB take 3 s, 256 KiB five minutes),
 * typed arrays, dates, regular expressions, errors, shared references, and records, for which it compiles code.
 */
export function cborProblem(data: Uint8Array, { bytes, items, containers, keys }: CborLimits): string | undefined {
  if (data.length > bytes) return `larger than ${bytes} bytes`;
  if (data.length === 0 || data[0]! >> 5 !== MAP) return "not a map";
  /** Number of items still to be read in each open array or map. The items of a map are its keys and values. */
  const remaining: number[] = [1];
  const isMap: boolean[] = [false];
  let at = 0;
  let opened = 0;
  let keysRead = 0;
  for (let read = 0; remaining.length > 0;) {
    const top = remaining.length - 1;
    if (remaining[top] === 0) {
      remaining.pop();
      isMap.pop();
      continue;
    }
    if ((read += 1) > items) return `more than ${items} items`;
    if (at >= data.length) return "cut off";
    const isKey = isMap[top]! && remaining[top]! % 2 === 0;
    remaining[top]! -= 1;
    const head = data[at]!;
    const major = head >> 5;
    const info = head & 0x1f;
    at += 1;
    if (isKey && major !== TEXT) return "a key that is no text";
    if (major === SIMPLE) {
      if (info === EIGHT_BYTES) at += 8;
      else if (info < FIRST_SIMPLE || info > LAST_SIMPLE) return "a type that no packet has";
      continue;
    }
    let argument = info;
    if (info === ONE_BYTE) {
      argument = data[at]!;
      at += 1;
    } else if (info === TWO_BYTES) {
      argument = data[at]! * 0x100 + data[at + 1]!;
      at += 2;
    } else if (info === FOUR_BYTES) {
      argument = data[at]! * 0x1000000 + data[at + 1]! * 0x10000 + data[at + 2]! * 0x100 + data[at + 3]!;
      at += 4;
    } else if (info > FOUR_BYTES) return "a length that no packet has";
    if (at > data.length) return "cut off";
    if (major === UNSIGNED || major === NEGATIVE) continue;
    if (major === TEXT) {
      at += argument;
      continue;
    }
    if (major !== ARRAY && major !== MAP) return "a type that no packet has";
    if ((opened += 1) > containers) return `more than ${containers} arrays and maps`;
    if (major === MAP && argument > MAX_MAP_KEYS) return `a map of more than ${MAX_MAP_KEYS} keys`;
    if (major === MAP && (keysRead += argument) > keys) return `more than ${keys} keys`;
    if (argument > data.length - at) return "cut off";
    if (remaining.length > MAX_DEPTH) return `nested more than ${MAX_DEPTH} deep`;
    remaining.push(major === MAP ? argument * 2 : argument);
    isMap.push(major === MAP);
  }
  return at === data.length ? undefined : at > data.length ? "cut off" : "more than one item";
}
