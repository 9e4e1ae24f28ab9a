import type { IncomingHttpHeaders } from "node:http";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import { FEED_TAG } from "../../contracts/feeds.contract.ts";
import { MAX_IF_REVISIONS, type Revised, REVISION } from "../../contracts/revision.ts";

const FIELD = "If-Match";

/**
 * One element of the list, which may be empty, and its separator (RFC 9110 section 8.8.3). No two parts of the expression
 * match the same blank, so the time is linear.
 */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** The parsed `If-Match` header: the revisions that it names, or the problems of the header. */
export interface Precondition {
  /** Undefined without a precondition. */
  readonly ifRevision?: readonly string[] | undefined;
  readonly problems: readonly FieldProblem[];
}

const NO_PRECONDITION: Precondition = { problems: [] };

/**
 * Reads the header for an endpoint that updates or deletes a resource. `*` requires that the resource exists, as every update
 * and delete does. A weak tag, and a tag without the form of a revision, match nothing (RFC 9110 section 13.1.1).
 */
export function readIfMatch(headers: IncomingHttpHeaders): Precondition {
  const header = headers["if-match"];
  if (header === undefined || header.trim() === "*") return NO_PRECONDITION;
  const tags = entityTags(header);
  if (tags === undefined) return malformed('must be "*" or a list of entity tags, each between quotation marks');
  if (tags.length > MAX_IF_REVISIONS) return malformed(`must name at most ${MAX_IF_REVISIONS} entity tags`, "TOO_MANY");
  const strong = tags.filter(({ isWeak, text }) => !isWeak && REVISION.test(text));
  return { ifRevision: strong.map(({ text }) => text), problems: [] };
}

/** Refuses the header on endpoints that compare no revision: an ignored precondition would look fulfilled. */
export function refuseIfMatch(headers: IncomingHttpHeaders): Precondition {
  if (headers["if-match"] === undefined) return NO_PRECONDITION;
  return malformed("is accepted by endpoints that update or delete, and not by this one", "NOT_ALLOWED");
}

/** The entity tags in `If-None-Match`. */
export interface KnownTags {
  /** True for `*`, which matches every state of the resource. */
  readonly isAny: boolean;
  readonly tags: readonly string[];
}

/** Reads the header of a GET of a feed. A weak tag counts as a strong one (RFC 9110 section 13.1.2). A malformed header is ignored. */
export function readIfNoneMatch(headers: IncomingHttpHeaders): KnownTags {
  const header = headers["if-none-match"] ?? "";
  const tags = entityTags(header) ?? [];
  const known = tags.map(({ text }) => text).filter((text) => FEED_TAG.test(text));
  return { isAny: header.trim() === "*", tags: known.slice(0, MAX_IF_REVISIONS) };
}

/** The ETag of a result; undefined for a result without a revision. */
export function etagOf(result: unknown): string | undefined {
  const { revision } = Object(result) as Partial<Revised>;
  return revision === undefined ? undefined : `"${revision}"`;
}

interface EntityTag {
  readonly isWeak: boolean;
  readonly text: string;
}

/** The entity tags of a list; undefined for an empty or malformed list. */
function entityTags(header: string): readonly EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < header.length) {
    const element = ELEMENT.exec(header);
    if (element === null) return undefined;
    const [, weak, text] = element;
    if (text !== undefined) tags.push({ isWeak: weak !== undefined, text });
  }
  return tags.length === 0 ? undefined : tags;
}

function malformed(message: string, code: FieldProblem["code"] = "MALFORMED"): Precondition {
  return { problems: [{ field: FIELD, code, message }] };
}
