import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import type { Refusal } from "../../contracts/errors.ts";
import { listTooLarge, MAX_RESPONSE_BYTES } from "../../contracts/list-limits.ts";
import { encodeFields } from "./response-fields.ts";
import type { Route } from "../route.ts";

/** Entries that are encoded without a pause. */
const ENTRIES_PER_SLICE = 50;
/** Characters that are encoded without a pause: of lists of ids, `JSON.stringify` takes 10 to 20 ms for a million. */
const CHARACTERS_PER_SLICE = 65_536;
/** Least characters of a piece: a list of small entries must not be written in many pieces. */
const MIN_PIECE_LENGTH = 65_536;
/** A longer body is large: in bytes, or in characters of a text. */
const LARGE_LENGTH = 262_144;
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Encodes the body of a list. A long list is encoded in slices, between which other requests are served, and returned in
 * pieces. Refused if the body exceeds the size limit of a response (D38); here the count of bytes is exact.
 */
export async function encodeList(
  { responseFields, contract }: Pick<Route, "responseFields" | "contract">,
  result: unknown,
): Promise<string | readonly Buffer[] | Refusal> {
  if (responseFields.every(({ list }) => list === undefined || isOneSlice(list.entries(result)))) {
    const text = JSON.stringify(encodeFields(responseFields, result));
    return fitsInResponse(text) ? text : listTooLarge(contract, "bytes");
  }
  const slices = new TimeSlice();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const text of jsonPieces(responseFields, result)) {
    const piece = Buffer.from(text);
    bytes += piece.length;
    if (bytes > MAX_RESPONSE_BYTES) return listTooLarge(contract, "bytes");
    pieces.push(piece);
    if (slices.isOver) await slices.rest();
  }
  return pieces;
}

/** Whether the memory of the body is limited per guild (concurrency-limit.ts). */
export function isLarge(body: string | readonly Buffer[]): boolean {
  if (typeof body === "string") return body.length > LARGE_LENGTH;
  return body.reduce((bytes, piece) => bytes + piece.length, 0) > LARGE_LENGTH;
}

/** The entries in slices that are encoded without a pause; an entry is not divided. */
function* slicesOf(entries: readonly unknown[]): Generator<readonly unknown[]> {
  let first = 0;
  let characters = 0;
  for (const [at, entry] of entries.entries()) {
    const more = leastCharacters(entry);
    if (at > first && (at - first === ENTRIES_PER_SLICE || characters + more > CHARACTERS_PER_SLICE)) {
      yield entries.slice(first, at);
      first = at;
      characters = 0;
    }
    characters += more;
  }
  if (first < entries.length) yield entries.slice(first);
}

function isOneSlice(entries: readonly unknown[]): boolean {
  if (entries.length > ENTRIES_PER_SLICE) return false;
  let characters = 0;
  for (const entry of entries) characters += leastCharacters(entry);
  return characters <= CHARACTERS_PER_SLICE;
}

/** Number of characters of all texts in a value, at any depth: ids, messages and dates make an entry long. */
function leastCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let characters = 0;
  for (const each of Object.values(value)) characters += leastCharacters(each);
  return characters;
}

function fitsInResponse(text: string): boolean {
  return text.length * MAX_BYTES_PER_CHARACTER <= MAX_RESPONSE_BYTES || Buffer.byteLength(text) <= MAX_RESPONSE_BYTES;
}

/** The JSON text of an object, in pieces. */
function* jsonPieces(response: Route["responseFields"], result: unknown): Iterable<string> {
  let text = "";
  // Precedes the next piece: the brace of the object, a comma between fields, and nothing within a field.
  let separator = "{";
  for (const field of response) {
    for (const part of memberPieces(field, result)) {
      text += separator + part;
      separator = "";
      if (text.length < MIN_PIECE_LENGTH) continue;
      yield text;
      text = "";
    }
    if (separator === "") separator = ",";
  }
  yield `${text}}`;
}

/** The JSON text of one field; nothing if it has no value. */
function* memberPieces({ wire, value, list }: Route["responseFields"][number], result: unknown): Iterable<string> {
  const name = `${JSON.stringify(wire)}:`;
  if (list === undefined) {
    const encoded = JSON.stringify(value(result)) as string | undefined;
    if (encoded !== undefined) yield name + encoded;
    return;
  }
  yield `${name}[`;
  let separator = "";
  for (const slice of slicesOf(list.entries(result))) {
    yield separator + JSON.stringify(slice.map((entry) => list.encode(entry))).slice(1, -1);
    separator = ",";
  }
  yield "]";
}
