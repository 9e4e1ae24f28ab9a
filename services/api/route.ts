import { type ParamsCheck, paramsCheck } from "../../mixins/actions/check-params.ts";
import type { ActionContract, KeyRule } from "../contracts/contract.ts";
import type { FieldProblem } from "../contracts/field-problem.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { PageParams } from "../contracts/pages.ts";
import type { Revised } from "../contracts/revision.ts";
import { type ResponseField, encodeFields } from "./wire/response-fields.ts";
import type { Precondition } from "./wire/if-match.ts";
import { type Warning, warningsFor, withWarnings } from "./wire/warnings.ts";
import {
  decodeFields,
  type NullMeaning,
  paramPath,
  type RequestField,
  type RequestFields,
  requestFields,
  wireNames,
  wirePath,
} from "./wire/request-fields.ts";

/** The field of a write whose effect is shown and not stored (D64). */
export const DRY_RUN = "dry_run";

/** A request and its response. The API document shows them; a test sends the request and expects the response. */
export interface Example {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The rules for the params of a request. */
type RequestShape<Fields> = Pick<ActionContract<Fields, unknown>, "params" | "crossFieldProblems">;

/** A request whose fields differ from the params of the action, and its conversion to params. */
export interface RequestMapping<Fields, Params> {
  readonly shape: RequestShape<Fields>;
  readonly toParams: (fields: Fields) => Params;
  /** Wire names of the params that the request has no field for. */
  readonly wireNames: Readonly<Record<string, string>>;
}

/** The definition of an endpoint. */
export interface RouteDefinition<Params, Result, Fields> {
  /** The canonical path, then its aliases (D2); each path also exists under /api. */
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<Params, Result>;
  readonly fields: RequestFields<NoInfer<Fields>>;
  readonly nulls?: NullMeaning;
  /** Fields of the resource that a client may send back but that the request does not set (D37). */
  readonly readOnly?: readonly string[];
  readonly acceptsIdempotencyKey?: true;
  readonly request?: RequestMapping<Fields, Params>;
  readonly responseFields: readonly ResponseField<NoInfer<Result>>[];
  /** Whether a response with status 200 has the revision of the resource as its ETag (D36). */
  readonly hasEtag?: NoInfer<Result> extends Revised ? true : never;
  /** Name of the response's schema in the API document; derived from the path if absent. */
  readonly responseName?: string;
  readonly summary: string;
  /** Further explanation, in whole sentences. */
  readonly description?: string;
  readonly example: Example;
}

/** An endpoint, compiled for the gateway. */
export interface Route {
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<unknown, unknown>;
  /** The keys that may send the request: those of the action, and for a dry run those of the write. */
  readonly keys: KeyRule;
  readonly fields: readonly RequestField[];
  readonly acceptsIdempotencyKey: boolean;
  /** Whether null means that the field is absent (D6). */
  readonly nullsAreAbsent: boolean;
  readonly shape: RequestShape<unknown>;
  readonly responseFields: readonly ResponseField<unknown>[];
  readonly hasEtag: boolean;
  /** Whether the action updates or deletes a resource with revisions, so that the endpoint accepts `If-Match`. */
  readonly acceptsIfMatch: boolean;
  readonly responseName: string | undefined;
  readonly summary: string;
  readonly description: string | undefined;
  readonly example: Example;
  /** For a list: the route of the requests for a page, which have a `limit` or a `cursor` (D49). */
  readonly pages: Route | undefined;
  /** For a write that accepts `dry_run`: the route of the requests with the value true (D64). */
  readonly dryRun: Route | undefined;
  /** The unchecked params of a body. */
  decode(body: Readonly<Record<string, unknown>>): object;
  /** The problems of the invalid fields, in wire names. */
  check(decoded: object): readonly FieldProblem[];
  /** The params of the action, from checked fields and from the header `If-Match`. */
  toParams(checked: object, precondition?: Pick<Precondition, "ifRevision">): unknown;
  /** The warnings about fields that have no effect, or that look like a mistake (D37). */
  warnings(body: object, decoded: object): readonly Warning[];
  encode(result: unknown, warnings?: readonly Warning[]): object;
  /** An owner's refusal with its fields in wire names. */
  withWireNames(refusal: Refusal): Refusal;
}

export function route<Params, Result, Fields = Params>(definition: RouteDefinition<Params, Result, Fields>): Route {
  const { paths, request, nulls = "value", readOnly = [], summary, description, responseName, example } = definition;
  const contract = definition.contract as ActionContract<unknown, unknown>;
  const fields = requestFields(definition.fields);
  const shape = (request?.shape ?? contract) as RequestShape<unknown>;
  const responseFields = definition.responseFields as readonly ResponseField<unknown>[];
  const wireOf = new Map([...wireNames(fields), ...Object.entries(request?.wireNames ?? {})]);
  const check: ParamsCheck = paramsCheck(shape);
  const toWireNames = (problem: FieldProblem) => withWireNames(problem, wireOf);
  return {
    paths,
    contract,
    keys: contract.keys,
    fields,
    acceptsIdempotencyKey: definition.acceptsIdempotencyKey === true,
    nullsAreAbsent: nulls === "absent",
    shape,
    responseFields,
    hasEtag: definition.hasEtag === true,
    acceptsIfMatch: "ifRevision" in contract.params,
    responseName,
    summary,
    description,
    example,
    pages: undefined,
    dryRun: undefined,
    decode: (body) => decodeFields(body, fields, nulls),
    check: (decoded) => check(decoded).map(toWireNames),
    toParams: (checked, { ifRevision } = {}) => {
      const params = request?.toParams(checked as Fields) ?? checked;
      return ifRevision === undefined ? params : { ...params, ifRevision };
    },
    warnings: warningsFor({ fields, readOnly }),
    encode: (result, warnings = []) => encodeFields(withWarnings(responseFields, warnings), result),
    withWireNames: ({ problems, ...refusal }) =>
      problems === undefined ? refusal : { ...refusal, problems: problems.map(toWireNames) },
  };
}

/** The definition of the pages of a list; the paths, the summary and the example are those of the list. */
type PagesDefinition<Params, Result, Fields> = Pick<
  RouteDefinition<Params, Result, Fields>,
  "contract" | "fields" | "request" | "responseFields"
>;

/** A list that is returned as a whole, or in pages by another action (D49). */
export function pagedRoute<
  Params,
  Result,
  PagedParams extends PageParams,
  PageResult,
  Fields = Params,
  PagedFields = PagedParams,
>(list: RouteDefinition<Params, Result, Fields>, pages: PagesDefinition<PagedParams, PageResult, PagedFields>): Route {
  const { paths, summary, example } = list;
  return { ...route(list), pages: route({ paths, summary, example, ...pages }) };
}

/**
 * The route that responds to a request with this body: that of the pages if the body has a field that only pages have, and that of
 * the dry run if `dry_run` is true.
 */
export function routeFor(list: Route, body: Readonly<Record<string, unknown>>): Route {
  const { pages, fields, dryRun } = list;
  if (dryRun !== undefined && Object.hasOwn(body, DRY_RUN) && body[DRY_RUN] === true) return dryRun;
  if (pages === undefined) return list;
  const ofList = new Set(fields.map(({ wire }) => wire));
  return pages.fields.some(({ wire }) => !ofList.has(wire) && Object.hasOwn(body, wire)) ? pages : list;
}

/** A problem with its field and the allowed members in wire names. */
function withWireNames(problem: FieldProblem, wireOf: ReadonlyMap<string, string>): FieldProblem {
  const { field, message, allowed } = problem;
  const parent = paramPath(field).replace(/\.[^.]*$/, "");
  const members = allowed?.map((name) => wireOf.get(`${parent}.${name}`) ?? name);
  return {
    ...problem,
    field: wirePath(field, wireOf),
    ...(allowed === undefined || members === undefined
      ? {}
      : { message: message.replace(allowed.join(", "), members.join(", ")), allowed: members }),
  };
}
