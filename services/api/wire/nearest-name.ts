/** A longer text resembles no name: it is not compared. */
const MAX_COMPARED_LENGTH = 64;

/**
 * The name with the smallest edit distance (Levenshtein) to the text, if the distance is at most `maxDistance`; the first of
 * equally near ones. Case, `-` and `_` are ignored.
 */
export function nearestName(text: string, names: readonly string[], maxDistance: number): string | undefined {
  if (text.length > MAX_COMPARED_LENGTH) return undefined;
  const normalizedText = normalized(text);
  let nearest: string | undefined;
  let limit = maxDistance + 1;
  for (const name of names) {
    const distance = editDistance(normalizedText, normalized(name), limit);
    if (distance >= limit) continue;
    nearest = name;
    limit = distance;
  }
  return nearest;
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** Number of characters to insert, delete or replace. The result is not exact if it is `limit` or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    // The smallest distance of a row never falls from one row to the next.
    if (Math.min(...current) >= limit) return limit;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
