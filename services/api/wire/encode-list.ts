import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import type { Refusal } from "../../contracts/errors.ts";
import { listTooLarge, MAX_ANSWER_BYTES } from "../../contracts/list-limits.ts";
import { encodeFields } from "./response-fields.ts";
import type { Route } from "../route.ts";

/** Entries that are encoded in one stretch: 3 MB of the largest, in about 5 ms. */
const ENTRIES_AT_ONCE = 50;
/** Characters of a piece, so that a list of small entries is not written in many. */
const PIECE_LENGTH = 65_536;
const LARGE_LENGTH = 262_144;
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * The body of a list: a short one as a text, a longer one in pieces that are encoded in slices, so that others are
 * answered meanwhile. Refused as soon as it is larger than an answer may be (D38); here the bytes are counted exactly.
 */
export async function encodeList(
  { answer, contract }: Pick<Route, "answer" | "contract">,
  result: unknown,
): Promise<string | readonly Buffer[] | Refusal> {
  if (answer.every(({ list }) => list === undefined || list.entries(result).length <= ENTRIES_AT_ONCE)) {
    const text = JSON.stringify(encodeFields(answer, result));
    return fits(text) ? text : listTooLarge(contract, "bytes");
  }
  const slices = new TimeSlice();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const text of piecesOf(answer, result)) {
    const piece = Buffer.from(text);
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) return listTooLarge(contract, "bytes");
    pieces.push(piece);
    if (slices.isOver) await slices.rest();
  }
  return pieces;
}

/** Whether the body of a list is so large that its memory counts. */
export function isLarge(body: string | readonly Buffer[]): boolean {
  if (typeof body === "string") return body.length > LARGE_LENGTH;
  return body.reduce((bytes, piece) => bytes + piece.length, 0) > LARGE_LENGTH;
}

function fits(text: string): boolean {
  return text.length * MAX_BYTES_PER_CHARACTER <= MAX_ANSWER_BYTES || Buffer.byteLength(text) <= MAX_ANSWER_BYTES;
}

/** The texts of an object that together are its JSON. */
function* piecesOf(answer: Route["answer"], result: unknown): Iterable<string> {
  let text = "";
  let separator = "{";
  for (const field of answer) {
    for (const part of memberOf(field, result)) {
      text += separator + part;
      separator = "";
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = "";
    }
    if (separator === "") separator = ",";
  }
  yield `${text}}`;
}

/** The name and the value of a field; nothing where it has no value. */
function* memberOf({ wire, value, list }: Route["answer"][number], result: unknown): Iterable<string> {
  const name = `${JSON.stringify(wire)}:`;
  if (list === undefined) {
    const encoded = JSON.stringify(value(result)) as string | undefined;
    if (encoded !== undefined) yield name + encoded;
    return;
  }
  yield `${name}[`;
  const entries = list.entries(result);
  for (let first = 0; first < entries.length; first += ENTRIES_AT_ONCE) {
    const some = entries.slice(first, first + ENTRIES_AT_ONCE);
    const separator = first === 0 ? "" : ",";
    yield separator + JSON.stringify(some.map((entry) => list.encode(entry))).slice(1, -1);
  }
  yield "]";
}
