import { type ParamsCheck, paramsCheck } from "../../mixins/actions/check-params.ts";
import type { ActionContract, FieldProblem } from "../contracts/contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { Revised } from "../contracts/revision.ts";
import { type AnswerField, encodeFields } from "./answer-fields.ts";
import { type Warning, warningsFor, withWarnings } from "./warnings.ts";
import { decodeFields, type NullMeaning, type WireField, wireNames, wirePath } from "./wire-fields.ts";

/** A request and its answer as the API document shows them, and as a test sends and expects them. */
export interface Example {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** What a request must hold: the contract's rules, or others. */
type RequestShape<Fields> = Pick<ActionContract<Fields, unknown>, "params" | "crossFieldProblems">;

/** A request that is not the action's params under other names, and how it becomes them. */
export interface OwnRequest<Fields, Params> {
  readonly shape: RequestShape<Fields>;
  readonly toParams: (fields: Fields) => Params;
  /** The wire names of params that no field of the request is called after. */
  readonly alsoNamed: Readonly<Record<string, string>>;
}

/** One endpoint as its table writes it down. */
export interface RouteTable<Fields extends object, Params, Result> {
  /** The canonical path, then its aliases (D2); each is there under /api as well. */
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<Params, Result>;
  readonly fields: readonly WireField[];
  readonly nulls?: NullMeaning;
  /** Fields that answers of the resource have, that this request does not set, and that a client may send back (D37). */
  readonly sentBack?: readonly string[];
  /** Whether a request may be sent again under an `Idempotency-Key`. */
  readonly takesIdempotencyKey?: true;
  readonly request?: OwnRequest<Fields, Params>;
  readonly answer: readonly AnswerField<NoInfer<Result>>[];
  /** Set where the answer tells the resource's revision as an ETag (D36). */
  readonly etag?: NoInfer<Result> extends Revised ? true : never;
  /** Name of the answer's schema in the API document; made from the path when absent. */
  readonly answerName?: string;
  readonly summary: string;
  /** What the summary has no room for, in whole sentences. */
  readonly description?: string;
  readonly example: Example;
}

/** One endpoint as the gateway runs it. */
export interface Route {
  readonly paths: readonly [string, ...string[]];
  readonly contract: ActionContract<unknown, unknown>;
  readonly fields: readonly WireField[];
  readonly takesIdempotencyKey: boolean;
  /** Whether null means that the field was left out (D6). */
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
  /** What the body spells, unchecked. */
  decode(body: Readonly<Record<string, unknown>>): object;
  /** Every field that is wrong, named as the client spells it; empty when they are good. */
  check(decoded: object): readonly FieldProblem[];
  /** The action's params, of fields that passed the check. */
  toParams(checked: object): unknown;
  /** About what a request that is done has no use for (D37). */
  warnings(body: object, decoded: object): readonly Warning[];
  encode(result: unknown, warnings?: readonly Warning[]): object;
  /** A refusal of the owner's, its fields named as the client spells them. */
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

/** A problem as the client spells its field, and the members that an object has. */
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
