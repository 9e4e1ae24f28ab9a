/** A metric of a query, with the labels of its selector. */
interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

const KEYWORDS = new Set("and or unless by on without ignoring group_left group_right bool offset inf nan".split(" "));
const NAME = /[a-zA-Z_:][\w:]*/y;

/**
 * The metrics of a PromQL query: each name that is no function, no keyword and no label of a grouping. This is no complete
 * parser, but enough for the queries of this project, whose selectors all begin with a name.
 */
export function selectorsOf(query: string): Selector[] {
  const bare = query
    // Labels of a grouping.
    .replaceAll(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ")
    // Ranges and offsets.
    .replaceAll(/\[[^\]]*\]|\boffset\s+\w+/g, " ");
  const found: Selector[] = [];
  for (let at = 0; at < bare.length;) {
    const rest = bare.slice(at);
    const skipped = /^(?:"(?:[^"\\]|\\.)*"|\d[\w.]*|\s+|[^\w:"])/.exec(rest);
    if (skipped !== null) {
      at += skipped[0].length;
      continue;
    }
    NAME.lastIndex = at;
    const [metric = rest] = NAME.exec(bare) ?? [];
    at += metric.length;
    if (/^\s*\(/.test(bare.slice(at)) || KEYWORDS.has(metric.toLowerCase())) continue;
    const [matchers = ""] = /^\{(?:[^}"]|"(?:[^"\\]|\\.)*")*\}/.exec(bare.slice(at)) ?? [];
    at += matchers.length;
    found.push({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label),
    });
  }
  return found;
}
