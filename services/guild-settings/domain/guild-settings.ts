import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import {
  type GuildSettings,
  type GuildSettingsChanges,
  OPERATOR_FIELDS,
} from "../../contracts/guild-settings.contract.ts";
import { givenParts } from "../../contracts/message-template.ts";
import { changedPause } from "../../contracts/pause.ts";
import type { GuildId } from "../../contracts/ids.ts";

/** The settings of a guild that was never written (D9). */
export function defaultSettings(guildId: GuildId): GuildSettings {
  return {
    guildId,
    externalCalendar: false,
    controlRole: "everyone",
    serviceChannel: "all",
    simpleAnnouncements: false,
    lang: "ENGLISH",
    prefix: "!",
    patronGuild: false,
    devGuild: false,
    maxCalendars: 1,
    twelveHour: true,
    branded: false,
    revision: 0,
  };
}

/**
 * Applies changes to the settings. A key that is not an operator's may send an operator field with its stored value,
 * because a client may post back what it read; another value is refused (D11).
 */
export function changeSettings(
  stored: GuildSettings,
  changes: GuildSettingsChanges,
  byOperator: boolean,
): GuildSettings | Refusal {
  const forbidden = OPERATOR_FIELDS.filter(
    (field) => changes[field] !== undefined && changes[field] !== stored[field] && !byOperator,
  );
  if (forbidden.length > 0) {
    return refuse(
      "OPERATOR_ONLY",
      forbidden.map((field) => ({ field, code: "NOT_ALLOWED", message: "can be changed with an operator key only" })),
    );
  }
  const { template: storedTemplate, pausedUntil: _, ...kept } = stored;
  const { template = storedTemplate, pausedUntil, ...changed } = changes;
  return {
    ...kept,
    ...changed,
    ...definedFields({ template: givenParts(template) }),
    ...changedPause(stored, pausedUntil),
    revision: stored.revision + 1,
  };
}
