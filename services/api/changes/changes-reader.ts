import type { ActionContract, CallMeta, FieldProblem } from "../../contracts/contract.ts";
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
  listSettledPosts,
} from "../../contracts/guild-changes.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Window } from "../../contracts/window.ts";
import {
  type ChangesByKind,
  FIRST_POSITION,
  type ChangedRecordOfKind,
  perKind,
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
} as const;

/** The actions that a read of changes calls. */
export const CHANGES_ACTIONS = Object.values(ACTIONS);

interface ReaderDependencies {
  /** Calls an action of an owner, without the caller of the request: these actions have no key. */
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
  readonly position: SyncPosition;
  /** Whether changes wait until no earlier write can appear before them. */
  readonly isHeldBack: boolean;
}

export interface ChangesReader {
  /** The position of a token, or the first one; refuses a token that is not one of the guild, or too old. */
  positionOf(guildId: GuildId, syncToken: string | undefined): SyncPosition | Refusal;
  read(guildId: GuildId, position: SyncPosition, limit: number, meta: CallMeta): Promise<ChangesPage>;
}

/** Tombstones expire; a token that is nearly as old could miss a deletion. */
const MAX_TOKEN_AGE_MS = (TOMBSTONE_DAYS * 24 - 1) * 3_600_000;

const NO_TOKEN: FieldProblem = {
  field: "syncToken",
  code: "MALFORMED",
  message: "must be the sync_token of a response for the same guild",
};

/** Reads the changes of a guild from all owners (D48). */
export function changesReader({ call, now, lostWrites }: ReaderDependencies): ChangesReader {
  /** A client with a token of this time may have records that the restored database does not have. */
  const isLost = (readAt: EpochMs) =>
    lostWrites.some(({ from, until }) => readAt > from - CHANGE_FEED_OVERLAP_MS && readAt < until);

  return {
    positionOf(guildId, syncToken) {
      if (syncToken === undefined) return FIRST_POSITION;
      const state = decodeSyncToken(syncToken);
      if (state?.guildId !== guildId) return refuse("INVALID_REQUEST", [NO_TOKEN]);
      const isExpired = now() - state.readAt > MAX_TOKEN_AGE_MS || isLost(state.readAt);
      return isExpired ? refuse("SYNC_TOKEN_EXPIRED") : state.position;
    },

    async read(guildId, position, limit, meta) {
      const readAt = now();
      const changes = await readAll((kind) => {
        const contract = ACTIONS[kind] as ActionContract<ChangedRecordsParams, ChangedRecords<unknown>>;
        return call(contract, { guildId, after: position[kind], limit }, meta);
      });
      const { records, position: next, more, isHeldBack } = selectChanges(position, changes, limit);
      const syncToken = encodeSyncToken({ guildId, readAt, position: next });
      return { changes: records.map(toGuildChange), syncToken, more, position: next, isHeldBack };
    },
  };
}

async function readAll(read: (kind: ChangeKind) => Promise<ChangedRecords<unknown>>): Promise<ChangesByKind> {
  const results = await Promise.all(CHANGE_KINDS.map(read));
  return perKind((kind) => results[CHANGE_KINDS.indexOf(kind)] as ChangedRecords<unknown>);
}

function toGuildChange({ kind, id, revision, at, deleted, record }: ChangedRecordOfKind): GuildChange {
  return {
    kind,
    id: kind === "calendar" ? id.slice(id.indexOf("/") + 1) : id,
    revision,
    changedAt: at,
    deleted,
    ...(record === undefined ? {} : { [kind]: record }),
  };
}
