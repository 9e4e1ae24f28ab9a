import type { ServiceSchema } from "moleculer";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { isRefusal } from "../../contracts/errors.ts";
import {
  DEFAULT_CHANGES,
  type EncodedChange,
  type GuildChange,
  listChanges,
  readEncodedChanges,
} from "../../contracts/guild-changes.contract.ts";
import { encodeOccurrences } from "../../contracts/occurrence-notifications.contract.ts";
import { perKind, positionAt } from "../domain/sync-position.ts";
import type { ChangesReader } from "./changes-reader.ts";
import { encodedRecord } from "./changes.wire.ts";
import { encodedOccurrence } from "./occurrence.wire.ts";

/** The actions for the changes of a guild. */
export function changesActions(reader: () => ChangesReader): NonNullable<ServiceSchema["actions"]> {
  return {
    ...serve(listChanges, async ({ guildId, syncToken, limit = DEFAULT_CHANGES }, { meta }) => {
      const position = reader().positionOf(guildId, syncToken);
      if (isRefusal(position)) return position;
      const { caller: _, ...internal } = meta;
      const { changes, syncToken: next, more } = await reader().read(guildId, position, limit, internal);
      return { changes, syncToken: next, more };
    }),

    ...serve(readEncodedChanges, async ({ guildId, kinds, syncToken, since = 0, limit }, { meta }) => {
      const position =
        syncToken === undefined ? perKind(() => positionAt(since)) : reader().positionOf(guildId, syncToken);
      if (isRefusal(position)) return position;
      const page = await reader().read(guildId, position, limit, meta, kinds);
      const { syncToken: next, readAt, more, isHeldBack } = page;
      return { changes: page.changes.map(encodedChange), syncToken: next, readAt, more, isHeldBack };
    }),

    ...serve(encodeOccurrences, ({ occurrences }) => Promise.resolve(occurrences.map(encodedOccurrence))),
  };
}

function encodedChange(change: GuildChange): EncodedChange {
  const { kind, id, revision, changedAt, deleted } = change;
  const json = encodedRecord(change);
  return { kind, id, revision, changedAt, deleted, ...(json === undefined ? {} : { json }) };
}
