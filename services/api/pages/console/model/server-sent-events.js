/**
 * A block of a stream of changes (D48). The first block, and a comment, have a token or nothing.
 * @typedef {object} Block
 * @property {string | undefined} id
 * @property {string | undefined} data
 */

/** Characters of an incomplete block; the service sends at most about 256 KiB (D48). */
const MAX_REST = 2_000_000;

/** Reads the blocks of a stream of Server-Sent Events from its pieces. */
export class BlockReader {
  #rest = "";

  /**
   * @param {string} piece
   * @returns {Block[]} The blocks that are complete with this piece.
   */
  read(piece) {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    if (this.#rest.length > MAX_REST) throw new Error("A block of the stream is too large");
    return blocks.map((block) => ({ id: lineOf(block, "id"), data: lineOf(block, "data") }));
  }
}

/**
 * @param {string} block
 * @param {string} name
 */
function lineOf(block, name) {
  const line = block.split("\n").find((each) => each.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}
