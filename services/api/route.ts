import { type ParamsCheck, paramsCheck } from "../../mixins/actions/check-params.ts";
import type { ActionContract, FieldProblem } from "../contracts/contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { Revised } from "../contracts/revision.ts";
import { type AnswerField, encodeFields } from "./wire/response-fields.ts";
import { type Warning, warningsFor, withWarnings } from "./wire/warnings.ts";
import { decodeFields, type NullMeaning, type WireField, wireNames, wirePath } from "./wire/request-fields.ts";

/** A request and its answer as the API document shows them, and as a test sends and expects them. */
export interface Example {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The rules for a request: the contract's, or others. */
type RequestShape<Fields> = Pick<ActionContract<Fields, unknown>, "params" | "crossFieldProblems">;

/** A request whose fields are not simply the params of the action, and its conversion to params. */
export interface OwnRequest<Fields, Params> {
  readonly shape: RequestShape<Fields>;
  readonly toParams: (fields: Fields) => Params;
  /** Wire names for params that have no field of that name in the request. */
  readonly alsoNamed: Readonly<Record<string, string>>;
}

/** The definition of an endpoint. */
export interface RouteTable<Fields extends object, Params, Result> {
  /** The canonical path, then its aliases (D2); each path also exists under /api. */
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<Params, Result>;
  readonly fields: readonly WireField[];
  readonly nulls?: NullMeaning;
  /** Fields that answers of the resource have, that this request does not set, and that a client may send back (D37). */
  readonly sentBack?: readonly string[];
  /** Whether the endpoint supports the header `Idempotency-Key`. */
  readonly takesIdempotencyKey?: true;
  readonly request?: OwnRequest<Fields, Params>;
  readonly answer: readonly AnswerField<NoInfer<Result>>[];
  /** Whether the answer has the revision of the resource as its ETag (D36). */
  readonly etag?: NoInfer<Result> extends Revised ? true : never;
  /** Name of the answer's schema in the API document; made from the path when absent. */
  readonly answerName?: string;
  readonly summary: string;
  /** Further explanation, in whole sentences. */
  readonly description?: string;
  readonly example: Example;
}

/** An endpoint, compiled for the gateway. */
export interface Route {
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<unknown, unknown>;
  readonly fields: readonly WireField[];
  readonly takesIdempotencyKey: boolean;
  /** Whether null means that the field is absent (D6). */
  readonly nullsAreAbsent: boolean;
  readonly shape: RequestShape<unknown>;
  readonly answer: readonly AnswerField<unknown>[];
  /** Whether a 200 has the resource's revision as its ETag (D36). */
  readonly hasEtag: boolean;
  /** Whether `If-Match` is taken: the action updates or deletes a resource that has revisions. */
  readonly takesIfMatch: boolean;
  readonly answerName: string | undefined;
  readonly summary: string;
  readonly description: string | undefined;
  readonly example: Example;
  /** The params in the body, unchecked. */
  decode(body: Readonly<Record<string, unknown>>): object;
  /** A problem for each invalid field, with its wire name; empty for valid fields. */
  check(decoded: object): readonly FieldProblem[];
  /** The params of the action, made from checked fields. */
  toParams(checked: object): unknown;
  /** The warnings about fields that have no effect (D37). */
  warnings(body: object, decoded: object): readonly Warning[];
  encode(result: unknown, warnings?: readonly Warning[]): object;
  /** A refusal of the owner with the wire names of its fields. */
  inWireNames(refusal: Refusal): Refusal;
}

export function route<Fields extends object, Params, Result>(table: RouteTable<Fields, Params, Result>): Route {
  const { paths, fields, request, nulls = "value", sentBack = [], summary, description, answerName, example } = table;
  const contract = table.contract as ActionContract<unknown, unknown>;
  const shape = (request?.shape ?? contract) as RequestShape<unknown>;
  const answer = table.answer as readonly AnswerField<unknown>[];
  const wireOf = new Map([...wireNames(fields), ...Object.entries(request?.alsoNamed ?? {})]);
  const check: ParamsCheck = paramsCheck(shape);
  const inWireName = (problem: FieldProblem) => problemInWireNames(problem, wireOf);
  return {
    paths,
    contract,
    fields,
    takesIdempotencyKey: table.takesIdempotencyKey === true,
    nullsAreAbsent: nulls === "absent",
    shape,
    answer,
    hasEtag: table.etag === true,
    takesIfMatch: "ifRevision" in contract.params,
    answerName,
    summary,
    description,
    example,
    decode: (body) => decodeFields(body, fields, nulls),
    check: (decoded) => check(decoded).map(inWireName),
    toParams: (checked) => request?.toParams(checked as Fields) ?? checked,
    warnings: warningsFor({ fields, sentBack }),
    encode: (result, warnings = []) => encodeFields(withWarnings(answer, warnings), result),
    inWireNames: ({ problems, ...refusal }) =>
      problems === undefined ? refusal : { ...refusal, problems: problems.map(inWireName) },
  };
}

/** A problem with the wire names of its field and of the allowed members. */
function problemInWireNames(problem: FieldProblem, wireOf: ReadonlyMap<string, string>): FieldProblem {
  const { field, message, allowed } = problem;
  const [head = field] = field.split(/[.[]/, 1);
  const members = allowed?.map((name) => wireOf.get(`${head}.${name}`) ?? name);
  return {
    ...problem,
    field: wirePath(field, wireOf),
    ...(allowed === undefined || members === undefined
      ? {}
      : { message: message.replace(allowed.join(", "), members.join(", ")), allowed: members }),
  };
}
