import { createKey, listKeyChanges, listKeys, revokeKey, rotateKey } from "../../contracts/api-keys.contract.ts";
import { nextPageFields } from "../wire/list-pages.ts";
import { statusMessage } from "../wire/response-fields.ts";
import { route } from "../route.ts";
import { asInteger, field, guildsField, timeField } from "../wire/request-fields.ts";
import { keyExamples as examples } from "./keys.examples.ts";
import { listedChangesField, listedKeysField, issuedKeyFields, rotatedKeyFields } from "./keys.wire.ts";

const idField = field("id");
const pageFields = { amount: field("amount", asInteger), before: field("before") };

/** The endpoints for operators; they belong to no version of the API. */
export const keyRoutes = [
  route({
    paths: ["/admin/keys/create"],
    contract: createKey,
    fields: {
      kind: field("kind"),
      access: field("access"),
      guilds: guildsField,
      label: field("label"),
      expiresAt: timeField("expires"),
    },
    nulls: "absent",
    responseFields: [statusMessage("message", "Key created"), ...issuedKeyFields],
    summary: "Creates an API key; its secret is shown only in this response; operator keys only",
    example: examples.create,
  }),
  route({
    paths: ["/admin/keys/list"],
    contract: listKeys,
    fields: pageFields,
    responseFields: [listedKeysField, ...nextPageFields],
    summary: "Lists API keys, the latest first, without their secrets; operator keys only",
    example: examples.list,
  }),
  route({
    paths: ["/admin/keys/audit"],
    contract: listKeyChanges,
    fields: { id: idField, ...pageFields },
    responseFields: [listedChangesField, ...nextPageFields],
    summary: "Lists the changes of one key or of all keys, the latest first; operator keys only",
    example: examples.audit,
  }),
  route({
    paths: ["/admin/keys/rotate"],
    contract: rotateKey,
    fields: { id: idField, overlapHours: field("overlap_hours", asInteger) },
    responseFields: [statusMessage("message", "Key rotated"), ...rotatedKeyFields],
    summary: "Replaces a key's secret; the previous one stays valid for overlap_hours; operator keys only",
    example: examples.rotate,
  }),
  route({
    paths: ["/admin/keys/revoke"],
    contract: revokeKey,
    fields: { id: idField },
    responseFields: [statusMessage("message", "Key revoked")],
    summary: "Revokes a key; every gateway refuses it within five seconds; operator keys only",
    example: examples.revoke,
  }),
];
