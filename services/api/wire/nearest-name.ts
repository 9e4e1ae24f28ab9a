/** A longer text resembles none of our names: it is not compared. */
const MAX_COMPARED_LENGTH = 64;

/**
 * The name that a text was probably meant to be: the one with the smallest edit distance (Levenshtein), if that is at most
 * `maxDistance`; of two the first. Upper and lower case, `-` and `_` make no difference.
 */
export function nearestName(text: string, names: readonly string[], maxDistance: number): string | undefined {
  if (text.length > MAX_COMPARED_LENGTH) return undefined;
  const wanted = plain(text);
  let nearest: string | undefined;
  let limit = maxDistance + 1;
  for (const name of names) {
    const distance = editDistance(wanted, plain(name), limit);
    if (distance >= limit) continue;
    nearest = name;
    limit = distance;
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** How many characters must be inserted, deleted or replaced; any number from `limit` on where it is at least `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    // The distances of a row never fall from one row to the next.
    if (Math.min(...current) >= limit) return limit;
    above = current;
  }
  return above[b.length] ?? limit;
}
