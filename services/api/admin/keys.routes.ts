import { createKey, listKeyChanges, listKeys, revokeKey, rotateKey } from "../../contracts/api-keys.contract.ts";
import { statusText } from "../answer-fields.ts";
import { route } from "../route.ts";
import { asInteger, field, guildsField } from "../wire-fields.ts";
import { keyExamples as examples } from "./keys.examples.ts";
import { listedChanges, listedKeys, nextPage, previousUntil, told } from "./keys.wire.ts";

const idField = field("id");

/** What an operator does about keys: of no version, and for no guild's key. */
export const keyRoutes = [
  route({
    paths: ["/admin/keys/create"],
    contract: createKey,
    fields: [field("kind"), field("access"), guildsField, field("label"), field("expires", "expiresAt", asInteger)],
    nulls: "absent",
    answer: [statusText("message", "Key created"), ...told],
    summary: "Makes an API key and tells it, this once; an operator's to do, as all of /admin/keys",
    example: examples.create,
  }),
  route({
    paths: ["/admin/keys/list"],
    contract: listKeys,
    fields: [],
    answer: [listedKeys],
    summary: "Every key that was ever made, the latest first, without its secret",
    example: examples.list,
  }),
  route({
    paths: ["/admin/keys/audit"],
    contract: listKeyChanges,
    fields: [idField, field("amount", "amount", asInteger), field("before")],
    answer: [listedChanges, nextPage],
    summary: "Who made, rotated and revoked which key when, of one key or of all, the latest first",
    example: examples.audit,
  }),
  route({
    paths: ["/admin/keys/rotate"],
    contract: rotateKey,
    fields: [idField, field("overlap_hours", "overlapHours", asInteger)],
    answer: [statusText("message", "Key rotated"), ...told, previousUntil],
    summary: "A new secret for a key; the one before is valid for another 24 hours, or as many as are named",
    example: examples.rotate,
  }),
  route({
    paths: ["/admin/keys/revoke"],
    contract: revokeKey,
    fields: [idField],
    answer: [statusText("message", "Key revoked")],
    summary: "Ends a key for good, everywhere within five seconds",
    example: examples.revoke,
  }),
];
