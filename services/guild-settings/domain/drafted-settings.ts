import { type DraftChange, writeParams } from "../../contracts/draft-changes.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { GuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { DraftedSettings, RefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import { pauseEndedBy } from "../../contracts/pause.ts";
import { revisionMismatch } from "../../contracts/revision.ts";
import { changeSettings } from "./guild-settings.ts";

/** Makes the changes of settings one after the other, as their writes would at `now`; the other changes are skipped (D58). */
export function draftedSettings(
  stored: GuildSettings,
  changes: readonly DraftChange[],
  byOperator: boolean,
  now: EpochMs,
): DraftedSettings | RefusedDraft {
  let after = stored;
  const maxCalendars = [stored.maxCalendars];
  for (const [at, change] of changes.entries()) {
    if (change.action === "UPDATE_SETTINGS") {
      const { guildId: _, ifRevision, ...fields } = writeParams<"UPDATE_SETTINGS">(stored.guildId, change);
      const next = revisionMismatch(after.revision, ifRevision) ?? changeSettings(after, fields, byOperator);
      if (isRefusal(next)) return { refused: { at, refusal: next } };
      after = { ...next, ...pauseEndedBy(after, now) };
    }
    maxCalendars.push(after.maxCalendars);
  }
  return { before: stored, after, maxCalendars };
}
