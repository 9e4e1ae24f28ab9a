import type { ActionContract, CallMeta } from "../../contracts/contract.ts";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import { CHANGE_FEED_OVERLAP_MS, TOMBSTONE_DAYS } from "../../contracts/change-feed.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import {
  CHANGE_KINDS,
  type ChangedRecords,
  type ChangedRecordsParams,
  type ChangeKind,
  type GuildChange,
  type GuildChanges,
  listChangedAnnouncements,
  listChangedCalendars,
  listChangedEvents,
  listChangedSettings,
  listChangedWebhooks,
  listSettledPosts,
} from "../../contracts/guild-changes.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Window } from "../../contracts/window.ts";
import {
  type ChangesByKind,
  FIRST_POSITION,
  type ChangedRecordOfKind,
  perKind,
  positionAt,
  selectChanges,
  type SyncPosition,
} from "../domain/sync-position.ts";
import { decodeSyncToken, encodeSyncToken } from "./sync-token.ts";

/** The action with the changed records of each kind, of its owner. */
const ACTIONS = {
  settings: listChangedSettings,
  calendar: listChangedCalendars,
  event: listChangedEvents,
  announcement: listChangedAnnouncements,
  post: listSettledPosts,
  webhook: listChangedWebhooks,
} as const;

/** The actions that a read of changes calls. */
export const CHANGES_ACTIONS = Object.values(ACTIONS);

interface ReaderDependencies {
  /** Calls an action of an owner. The actions are internal and refuse an API key, so `meta` must have no caller. */
  readonly call: <Params, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
    meta: CallMeta,
  ) => Promise<Result>;
  /** The clock of the database server. */
  readonly now: () => EpochMs;
  /** The times whose writes are lost since a restore (`lost-writes.store.ts`). */
  readonly lostWrites: readonly Window[];
}

/** The changes after a position, with the position after them. */
export interface ChangesPage extends GuildChanges {
  /** Before the read, by the database server's clock. */
  readonly readAt: EpochMs;
  readonly position: SyncPosition;
  /** Whether changes wait until no earlier write can appear before them. */
  readonly isHeldBack: boolean;
}

export interface ChangesReader {
  /** The position of a token, or the first one; refuses a token that is not one of the guild, or too old. */
  positionOf(guildId: GuildId, syncToken: string | undefined): SyncPosition | Refusal;
  /** @param kinds - The kinds to read; the position of every other kind moves to the time of the read. */
  read(
    guildId: GuildId,
    position: SyncPosition,
    limit: number,
    meta: CallMeta,
    kinds?: readonly ChangeKind[],
  ): Promise<ChangesPage>;
}

/** An hour less than the age at which tombstones expire: with an older token a deletion could be missed. */
const MAX_TOKEN_AGE_MS = (TOMBSTONE_DAYS * 24 - 1) * 3_600_000;

const NO_TOKEN: FieldProblem = {
  field: "syncToken",
  code: "MALFORMED",
  message: "must be the sync_token of a response for the same guild",
};

/** Reads the changes of a guild from all owners (D48). */
export function changesReader({ call, now, lostWrites }: ReaderDependencies): ChangesReader {
  /** Whether a client with a token of this time may have records that the restored database does not have. */
  const isAheadOfRestore = (readAt: EpochMs) =>
    lostWrites.some(({ from, until }) => readAt > from - CHANGE_FEED_OVERLAP_MS && readAt < until);

  return {
    positionOf(guildId, syncToken) {
      if (syncToken === undefined) return FIRST_POSITION;
      const state = decodeSyncToken(syncToken);
      if (state?.guildId !== guildId) return refuse("INVALID_REQUEST", [NO_TOKEN]);
      const isExpired = now() - state.readAt > MAX_TOKEN_AGE_MS || isAheadOfRestore(state.readAt);
      return isExpired ? refuse("SYNC_TOKEN_EXPIRED") : state.position;
    },

    async read(guildId, position, limit, meta, kinds = CHANGE_KINDS) {
      const readAt = now();
      const changes = await readAll((kind) => {
        if (!kinds.includes(kind)) return Promise.resolve(NOTHING);
        const contract = ACTIONS[kind] as ActionContract<ChangedRecordsParams, ChangedRecords<unknown>>;
        return call(contract, { guildId, after: position[kind], limit }, meta);
      });
      const { records, position: after, more, isHeldBack } = selectChanges(position, changes, limit);
      const next = perKind((kind) => (kinds.includes(kind) ? after[kind] : positionAt(readAt)));
      const syncToken = encodeSyncToken({ guildId, readAt, position: next });
      return { changes: records.map(toGuildChange), syncToken, more, position: next, isHeldBack, readAt };
    },
  };
}

/** In place of a kind that is not read. */
const NOTHING: ChangedRecords<unknown> = { delivered: [], changed: [], settledUntil: 0, more: false };

async function readAll(read: (kind: ChangeKind) => Promise<ChangedRecords<unknown>>): Promise<ChangesByKind> {
  const results = await Promise.all(CHANGE_KINDS.map(read));
  return perKind((kind) => results[CHANGE_KINDS.indexOf(kind)] as ChangedRecords<unknown>);
}

function toGuildChange({ kind, id, revision, at, deleted, record }: ChangedRecordOfKind): GuildChange {
  return {
    kind,
    // The stored id of a calendar is the guild's id, a slash, and the number.
    id: kind === "calendar" ? id.slice(id.indexOf("/") + 1) : id,
    revision,
    changedAt: at,
    deleted,
    ...(record === undefined ? {} : { [kind]: record }),
  };
}
