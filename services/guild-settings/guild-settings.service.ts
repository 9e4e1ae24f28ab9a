import type { ServiceSchema } from "moleculer";
import { serve } from "../../mixins/actions/contract-action.ts";
import { isOperator } from "../../mixins/actions/may-call.ts";
import { closedConnection, databaseMixin } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { WriteQueue } from "../../mixins/mongo/write-queue.ts";
import { broadcast } from "../../mixins/actions/typed-calls.ts";
import { isRefusal } from "../contracts/errors.ts";
import { listChangedSettings } from "../contracts/guild-changes.contract.ts";
import {
  getGuildSettings,
  type GuildSettings,
  guildSettingsChanged,
  guildSettingsChangesSince,
  guildSettingsCountChanges,
  updateGuildSettings,
} from "../contracts/guild-settings.contract.ts";
import { draftSettings } from "../contracts/owner-drafts.contract.ts";
import { revisionMismatch } from "../contracts/revision.ts";
import { changeSettings, defaultSettings } from "./domain/guild-settings.ts";
import { draftedSettings } from "./domain/drafted-settings.ts";
import { guildSettingsStore } from "./guild-settings.store.ts";

/** The guild settings service; see README.md beside this file. */
export function guildSettingsService({ mongoUrl }: { readonly mongoUrl: string }): ServiceSchema {
  const connection = closedConnection();
  const store = guildSettingsStore(connection);
  const queue = new WriteQueue();
  return {
    name: "guild-settings",
    mixins: [databaseMixin(connection, mongoUrl, "guild-settings"), healthMixin("guild-settings", connection)],
    actions: {
      ...serve(getGuildSettings, async ({ guildId }) => (await store.find(guildId)) ?? defaultSettings(guildId)),

      ...serve(updateGuildSettings, async ({ guildId, ifRevision, ...changes }, context) => {
        const outcome = await queue.run(guildId, () =>
          optimisticWrite({
            load: async () => (await store.find(guildId)) ?? defaultSettings(guildId),
            decide: (stored) =>
              revisionMismatch(stored.revision, ifRevision) ??
              changeSettings(stored, changes, isOperator(context.meta.caller)),
            save: (next) => store.replace(next),
            findEarlierAttempt: async () => {
              const revision = await store.revisionWritten(guildId);
              return revision === undefined
                ? undefined
                : { ...((await store.find(guildId)) as GuildSettings), revision };
            },
          }),
        );
        if (!isRefusal(outcome)) {
          broadcast(context, guildSettingsChanged, { guildId, revision: outcome.revision });
        }
        return outcome;
      }),

      ...serve(draftSettings, async ({ guildId, changes, byOperator, now }) =>
        draftedSettings((await store.find(guildId)) ?? defaultSettings(guildId), changes, byOperator, now),
      ),

      ...serve(guildSettingsChangesSince, (params) => store.changesSince(params)),

      ...serve(guildSettingsCountChanges, (params) => store.countChanges(params)),

      ...serve(listChangedSettings, (params) => store.listChanged(params)),
    },
  };
}
