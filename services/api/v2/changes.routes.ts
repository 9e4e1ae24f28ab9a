import { listChanges } from "../../contracts/guild-changes.contract.ts";
import { changesResponseFields } from "../changes/changes.wire.ts";
import { route } from "../route.ts";
import { asInteger, field, guildField } from "../wire/request-fields.ts";

/** The example: a guild with one calendar that was changed. */
export const changesExample = {
  request: { guild_id: "375357265198317583" },
  response: {
    changes: [
      {
        kind: "calendar",
        id: "1",
        revision: 1,
        changed: 1_893_456_000_003,
        deleted: false,
        calendar: { calendar_number: 1, name: "Raids", timezone: "Europe/Berlin" },
      },
    ],
    sync_token: "1.WyIzNzUzNTcyNjUxOTgzMTc1ODMiXQ.q83vEjRWeJA",
    more: false,
  },
};

export const changesRoutes = [
  route({
    paths: ["/v2/changes"],
    contract: listChanges,
    fields: { guildId: guildField, syncToken: field("sync_token"), limit: field("limit", asInteger) },
    responseFields: changesResponseFields,
    summary: "Lists what has changed in the guild since a token, each record once with its newest state",
    description:
      "Without a token it lists " +
      "everything that the guild has. A token that is older than a week is a 410: read everything again, without a token. " +
      "`/v2/changes/stream` sends the same as Server-Sent Events.",
    example: changesExample,
  }),
];
