import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import { BoundedList, leastJsonBytes } from "../../../mixins/actions/bounded-list.ts";
import { WriteQueue } from "../../../mixins/mongo/write-queue.ts";
import {
  type ApiKeyView,
  type CreateKeyParams,
  type KeyChangesPage,
  type KeysPage,
  type ListKeyChangesParams,
  listKeys,
  type ListKeysParams,
  MAX_KEY_CHANGES,
  DEFAULT_OVERLAP_HOURS,
  type IssuedKey,
} from "../../contracts/api-keys.contract.ts";
import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { listTooLarge } from "../../contracts/list-limits.ts";
import { type ApiKey, newApiKey, previousUntil, revoked, rotated, toView } from "../domain/api-key.ts";
import { type ApiKeysStore, type KeyChangeRecord, cursorOf } from "./api-keys.store.ts";
import { FIRST_KEY_ID, type KeyHashing, newKeyId, generateKey } from "./key-digests.ts";

/** Creates, lists, rotates and revokes API keys. A transaction stores each change with a record of who made it. */
export interface ApiKeyManagement {
  create(params: CreateKeyParams, by: string, id?: string): Promise<IssuedKey | Refusal>;
  list(params: ListKeysParams): Promise<KeysPage | Refusal>;
  /** The recorded changes, latest first. */
  changes(params: ListKeyChangesParams): Promise<KeyChangesPage>;
  rotate(id: string, overlapHours: number | undefined, by: string): Promise<RotatedKey | Refusal>;
  revoke(id: string, by: string): Promise<void | Refusal>;
}

type RotatedKey = IssuedKey & { readonly previousUntil?: EpochMs };

const HOUR_MS = 3_600_000;

export function apiKeyManagement(
  store: ApiKeysStore,
  hashing: KeyHashing,
  clock: () => number = Date.now,
): ApiKeyManagement {
  const queue = new WriteQueue();

  function change(
    id: string,
    record: Pick<KeyChangeRecord, "change" | "by">,
    decide: (key: ApiKey) => ApiKey | Refusal,
  ) {
    return queue.run(id, () =>
      optimisticWrite({
        load: () => store.find(id),
        decide: (key) => (key === null ? refuse("KEY_NOT_FOUND") : decide(key)),
        save: (next) => store.replace(next, { ...record, keyId: id, at: clock() }),
      }),
    );
  }

  return {
    async create(params, by, id = newKeyId(hashing.pepper)) {
      const { key, secret } = generateKey(hashing, id);
      const apiKey = newApiKey(id, params, secret, clock());
      if (isRefusal(apiKey)) return apiKey;
      const isStored = await store.insert(apiKey, { keyId: id, change: "created", by, at: clock() });
      return isStored ? { id, key } : refuse("WRITE_CONFLICT");
    },

    async list({ amount = MAX_ENTRIES, before }) {
      const now = clock();
      const list = new BoundedList<ApiKeyView>();
      let cursor = "";
      for await (const key of store.list(amount + 1, before)) {
        if (list.entries.length === amount) return { keys: list.entries, next: cursor };
        list.add(toView(key, previousUntil(key, now)), leastJsonBytes([...key.guilds, key.label]));
        if (list.exceeded !== undefined) return listTooLarge(listKeys, list.exceeded);
        cursor = cursorOf(key);
      }
      return { keys: list.entries };
    },

    changes: ({ id, before, amount = MAX_KEY_CHANGES }) => store.changes({ keyId: id, before, amount }),

    async rotate(id, overlapHours = DEFAULT_OVERLAP_HOURS, by) {
      const { key, secret } = generateKey(hashing, id);
      const overlapMs = overlapHours * HOUR_MS;
      const next = await change(id, { change: "rotated", by }, (current) =>
        rotated(current, secret, overlapMs, clock()),
      );
      if (isRefusal(next)) return next;
      const until = previousUntil(next, clock());
      return { id, key, ...(until === undefined ? {} : { previousUntil: until }) };
    },

    async revoke(id, by) {
      const next = await change(id, { change: "revoked", by }, (key) => revoked(key, clock()));
      return isRefusal(next) ? next : undefined;
    },
  };
}

/**
 * Creates an operator key if no key was ever created and none is configured, and resolves with its text, which is not
 * stored. Of several gateways that start at the same moment only one creates the key, since its id is fixed.
 */
export async function ensureFirstKey(
  store: Pick<ApiKeysStore, "isEmpty">,
  management: ApiKeyManagement,
  configured: string | undefined,
): Promise<string | undefined> {
  if (configured !== undefined || !(await store.isEmpty())) return undefined;
  const first = { kind: "operator", access: "write", label: "made at the first start" } as const;
  const issued = await management.create(first, "first start", FIRST_KEY_ID);
  return isRefusal(issued) ? undefined : issued.key;
}
