import type { IncomingHttpHeaders } from "node:http";
import type { FieldProblem } from "../../contracts/contract.ts";
import { FEED_TAG } from "../../contracts/feeds.contract.ts";
import { MAX_IF_REVISIONS, type Revised, REVISION } from "../../contracts/revision.ts";

const FIELD = "If-Match";

/** One element of the list (RFC 9110 section 8.8.3), and what separates it from the next; an element may be empty. No two parts can match the same blank: time is linear. */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** The parsed `If-Match` header: the accepted revisions, or the problems of the header. */
export interface Condition {
  /** Undefined without a condition. */
  readonly ifRevision?: readonly string[] | undefined;
  readonly problems: readonly FieldProblem[];
}

const NONE: Condition = { problems: [] };

/**
 * Reads the header for an endpoint that updates or deletes a resource. `*` asks that the resource exists, which every
 * update and delete does. A weak tag, and a tag that is no revision of ours, match nothing (RFC 9110 section 13.1.1).
 */
export function readIfMatch(headers: IncomingHttpHeaders): Condition {
  const header = headers["if-match"];
  if (header === undefined || header.trim() === "*") return NONE;
  const tags = entityTags(header);
  if (tags === undefined) return malformed('must be "*" or a list of entity tags, each between quotation marks');
  if (tags.length > MAX_IF_REVISIONS) return malformed(`must name at most ${MAX_IF_REVISIONS} entity tags`, "TOO_MANY");
  const strong = tags.filter(({ isWeak, text }) => !isWeak && REVISION.test(text));
  return { ifRevision: strong.map(({ text }) => text), problems: [] };
}

/** Refuses the header on endpoints that compare no revision: an ignored condition must not look fulfilled. */
export function refuseIfMatch(headers: IncomingHttpHeaders): Condition {
  if (headers["if-match"] === undefined) return NONE;
  return malformed("is taken by endpoints that update or delete, and not by this one", "NOT_ALLOWED");
}

/** The entity tags in `If-None-Match`. */
export interface KnownTags {
  /** Any state of the resource is known. */
  readonly isAny: boolean;
  readonly tags: readonly string[];
}

/** Reads the header of a get of a feed; a weak tag counts as a strong one (RFC 9110 section 13.1.2). One that is malformed is ignored. */
export function readIfNoneMatch(headers: IncomingHttpHeaders): KnownTags {
  const header = headers["if-none-match"] ?? "";
  const tags = entityTags(header) ?? [];
  const known = tags.map(({ text }) => text).filter((text) => FEED_TAG.test(text));
  return { isAny: header.trim() === "*", tags: known.slice(0, MAX_IF_REVISIONS) };
}

/** The tag that a client sends back in `If-Match`; none for an answer without a revision. */
export function etagOf(result: unknown): string | undefined {
  const { revision } = Object(result) as Partial<Revised>;
  return revision === undefined ? undefined : `"${revision}"`;
}

interface EntityTag {
  readonly isWeak: boolean;
  readonly text: string;
}

/** The entity tags of a list, at least one; undefined for other text. */
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

function malformed(message: string, code: FieldProblem["code"] = "MALFORMED"): Condition {
  return { problems: [{ field: FIELD, code, message }] };
}
