import { diffPlan, previewDrafts } from "../../contracts/plan-diff.contract.ts";
import { route } from "../route.ts";
import { idField, postPreviewFields } from "../v1/announcement.wire.ts";
import { asInteger, field } from "../wire/request-fields.ts";
import { listOf } from "../wire/response-fields.ts";
import { eventIdField } from "./events.wire.ts";
import { planExamples as examples } from "./plan.examples.ts";
import { planDiffFields } from "../wire/plan-diff-fields.ts";
import { draftFields } from "./plan.wire.ts";

const CHANGES_DESCRIPTION =
  `At most 50 \`changes\` are made one after the other, and stored nowhere. Each has an \`action\` and the fields of
the endpoint that makes the same write, and is checked as that endpoint checks it: the error is the same, with \`changes[n]\`
before the field. The event that the change n creates has the id \`e\` and n as 25 digits; an announcement has the UUID
\`00000000-0000-0000-0000-\` and n as 12 digits. Later changes can refer to them.`.replaceAll("\n", " ");

/** The order is the order of the API document, in which the examples work one after the other. */
export const planRoutes = [
  route({
    paths: ["/v2/plan/diff"],
    contract: diffPlan,
    fields: { ...draftFields, limit: field("limit", asInteger) },
    responseFields: planDiffFields,
    responseName: "PlanDiff",
    summary: "Shows which posts of the next 366 days would appear, vanish, move or change; stores nothing",
    description: CHANGES_DESCRIPTION,
    example: examples.diff,
  }),
  route({
    paths: ["/v2/plan/preview"],
    contract: previewDrafts,
    fields: { ...draftFields, id: idField, eventId: eventIdField, limit: field("limit", asInteger) },
    responseFields: [listOf("previews", postPreviewFields, "PostPreview")],
    summary: "Renders an announcement's messages for its next events, as they would be after changes; stores nothing",
    description: CHANGES_DESCRIPTION,
    example: examples.preview,
  }),
];
