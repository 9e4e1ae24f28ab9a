import type { ServiceSchema } from "moleculer";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { isRefusal } from "../../contracts/errors.ts";
import { DEFAULT_CHANGES, listChanges } from "../../contracts/guild-changes.contract.ts";
import type { ChangesReader } from "./changes-reader.ts";

/** The action for the changes of a guild. */
export function changesActions(reader: () => ChangesReader): NonNullable<ServiceSchema["actions"]> {
  return serve(listChanges, async ({ guildId, syncToken, limit = DEFAULT_CHANGES }, { meta }) => {
    const position = reader().positionOf(guildId, syncToken);
    if (isRefusal(position)) return position;
    const { caller: _, ...internal } = meta;
    const { changes, syncToken: next, more } = await reader().read(guildId, position, limit, internal);
    return { changes, syncToken: next, more };
  });
}
