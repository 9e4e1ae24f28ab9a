import type { GuildcalResponse } from "./guildcal-requests.ts";
import { type ImportRun, refusedRow } from "./import-run.ts";
import { type MappedSettings, settingsOf } from "./map-settings.ts";
import { type ChangeCode, changesOf, skippedRow } from "./row-outcome.ts";

/** Imports the rows of `guild_settings`. */
export async function importSettings({ folder, requests, record, isWanted, isDryRun }: ImportRun): Promise<void> {
  async function update({ guildId, settings, operatorSettings }: MappedSettings) {
    const path = "/v2/guild/settings/update";
    const all = await requests.post(path, { guild_id: guildId, ...settings, ...operatorSettings });
    if (all.status !== 403) return { response: all, changes: [] };
    const response = await requests.post(path, { guild_id: guildId, ...settings });
    return { response, changes: ["OPERATOR_FIELDS"] as const satisfies ChangeCode[] };
  }

  for await (const row of folder.rows("guild_settings")) {
    const mapped = settingsOf(row);
    const guildId = typeof mapped === "string" ? "" : mapped.guildId;
    const place = { table: "guild_settings", line: row.line, row: `guild_settings ${guildId}` };
    if (typeof mapped === "string") await record.add(skippedRow(place, mapped));
    else if (!isWanted(guildId)) continue;
    else if (record.isDone(place.row)) await record.add({ ...place, outcome: "unchanged" });
    else {
      const done: { response?: GuildcalResponse; changes: readonly ChangeCode[] } = isDryRun
        ? { changes: [] }
        : await update(mapped);
      const isRefused = done.response !== undefined && done.response.status !== 200;
      await record.add(
        isRefused
          ? refusedRow(place, done.response as GuildcalResponse)
          : { ...place, outcome: "imported", ...changesOf([...mapped.changes, ...done.changes]) },
      );
    }
  }
}
