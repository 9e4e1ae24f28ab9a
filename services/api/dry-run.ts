import { type DraftAction, DRAFTED_WRITES } from "../contracts/draft-changes.contract.ts";
import type { FieldProblem } from "../contracts/field-problem.ts";
import type { Refusal } from "../contracts/errors.ts";
import { flag, optional } from "../contracts/field-rules.ts";
import { diffPlan, type PlanDiffParams } from "../contracts/plan-diff.contract.ts";
import { DRY_RUN, type Route, route, type RouteDefinition } from "./route.ts";
import { planDiffFields } from "./wire/plan-diff-fields.ts";
import { field, type RequestFields } from "./wire/request-fields.ts";
import { encodeFields, type ResponseField } from "./wire/response-fields.ts";
import { withWarnings } from "./wire/warnings.ts";

interface WithDryRun {
  readonly dryRun?: boolean;
}

/**
 * The endpoint of a write that `/v2/plan/diff` can compare. With `dry_run` true it stores nothing, and responds with the posts that
 * would appear, vanish, move or change (D64).
 */
export function writeRoute<Params extends object, Result>(definition: RouteDefinition<Params, Result, Params>): Route {
  const { contract } = definition;
  const write = route<Params, Result, Params & WithDryRun>({
    ...definition,
    fields: { ...definition.fields, dryRun: field(DRY_RUN) } as RequestFields<Params & WithDryRun>,
    request: {
      shape: {
        params: { ...contract.params, dryRun: optional(flag) },
        ...(contract.crossFieldProblems === undefined ? {} : { crossFieldProblems: contract.crossFieldProblems }),
      },
      toParams: ({ dryRun: _, ...params }) => params as unknown as Params,
      wireNames: {},
    },
  });
  return { ...write, dryRun: dryRunOf(write) };
}

/** The same request with the same checks and rights, as a comparison of plans. */
function dryRunOf(write: Route): Route {
  const action = draftActionOf(write.contract);
  const responseFields = planDiffFields as readonly ResponseField<unknown>[];
  return {
    ...write,
    contract: diffPlan as Route["contract"],
    responseFields,
    hasEtag: false,
    toParams(checked, precondition) {
      const { guildId, ...change } = write.toParams(checked, precondition) as Pick<PlanDiffParams, "guildId">;
      return { guildId, changes: [{ action, ...change }] };
    },
    encode: (result, warnings = []) => encodeFields(withWarnings(responseFields, warnings), result),
    withWireNames: (refusal) => write.withWireNames(withoutIndex(refusal)),
  };
}

function draftActionOf(contract: Route["contract"]): DraftAction {
  const known = Object.entries(DRAFTED_WRITES).find(([, drafted]) => Object.is(drafted, contract));
  if (known === undefined) throw new Error(`no change of a draft stands for ${contract.name}`);
  return known[0] as DraftAction;
}

/** The only change of the list, in messages and in the paths of fields. */
const CHANGE = "changes[0]";

/** The refusal of the only change as the refusal of its write: without the index of the change. */
function withoutIndex({ message, problems, ...refusal }: Refusal): Refusal {
  return {
    ...refusal,
    ...(message === undefined ? {} : { message: message.replace(`${CHANGE}: `, "") }),
    ...(problems === undefined ? {} : { problems: problems.map(ofWrite) }),
  };
}

/** A problem with the list as a whole is one with the comparison: the write itself would be accepted. */
function ofWrite(problem: FieldProblem): FieldProblem {
  const { field: path } = problem;
  return { ...problem, field: path === "changes" ? "dryRun" : path.replace(`${CHANGE}.`, "") };
}
