import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import { BoundedList, jsonBytes } from "../../../mixins/actions/bounded-list.ts";
import { WriteQueue } from "../../../mixins/mongo/write-queue.ts";
import {
  type ApiKeyView,
  type CreateKeyParams,
  type KeyChangesPage,
  type KeysPage,
  type ListKeyChangesParams,
  listKeys,
  type ListKeysParams,
  MOST_KEY_CHANGES,
  STANDARD_OVERLAP_HOURS,
  type ToldKey,
} from "../../contracts/api-keys.contract.ts";
import { MOST_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { listTooLarge } from "../../contracts/list-limits.ts";
import { type ApiKey, newApiKey, previousUntil, revoked, rotated, viewOf } from "../domain/api-key.ts";
import { type ApiKeysStore, type KeyDeed, placeOf } from "./api-keys.store.ts";
import { FIRST_ID, type KeySeal, newId, sealNewKey } from "./key-digests.ts";

/** Makes, lists, rotates and revokes keys, and tells what was done about them; each change is recorded with who made it, in the same transaction. */
export interface KeyOffice {
  create(params: CreateKeyParams, by: string, id?: string): Promise<ToldKey | Refusal>;
  list(params: ListKeysParams): Promise<KeysPage | Refusal>;
  /** What was done about keys, and by whom. */
  changes(params: ListKeyChangesParams): Promise<KeyChangesPage>;
  rotate(id: string, overlapHours: number | undefined, by: string): Promise<RotatedKey | Refusal>;
  revoke(id: string, by: string): Promise<void | Refusal>;
}

type RotatedKey = ToldKey & { readonly previousUntil?: EpochMs };

const HOUR_MS = 3_600_000;

export function keyOffice(store: ApiKeysStore, seal: KeySeal, clock: () => number = Date.now): KeyOffice {
  const queue = new WriteQueue();

  function changing(id: string, what: Pick<KeyDeed, "change" | "by">, decide: (key: ApiKey) => ApiKey | Refusal) {
    return queue.run(id, () =>
      optimisticWrite({
        load: () => store.find(id),
        decide: (key) => (key === null ? refuse("KEY_NOT_FOUND") : decide(key)),
        save: (next) => store.replace(next, { ...what, keyId: id, at: clock() }),
      }),
    );
  }

  return {
    async create(params, by, id = newId(seal.pepper)) {
      const { key, secret } = sealNewKey(seal, id);
      const made = newApiKey(id, params, secret, clock());
      if (isRefusal(made)) return made;
      const stored = await store.insert(made, { keyId: id, change: "created", by, at: clock() });
      return stored ? { id, key } : refuse("WRITE_CONFLICT");
    },

    async list({ amount = MOST_ENTRIES, before }) {
      const now = clock();
      const list = new BoundedList<ApiKeyView>();
      let place = "";
      for await (const key of store.list(amount + 1, before)) {
        if (list.entries.length === amount) return { keys: list.entries, next: place };
        list.add(viewOf(key, previousUntil(key, now)), jsonBytes(key.guilds, key.label));
        if (list.exceeded !== undefined) return listTooLarge(listKeys, list.exceeded);
        place = placeOf(key);
      }
      return { keys: list.entries };
    },

    changes: ({ id, before, amount = MOST_KEY_CHANGES }) => store.changes({ keyId: id, before, amount }),

    async rotate(id, overlapHours = STANDARD_OVERLAP_HOURS, by) {
      const { key, secret } = sealNewKey(seal, id);
      const overlapMs = overlapHours * HOUR_MS;
      const next = await changing(id, { change: "rotated", by }, (now) => rotated(now, secret, overlapMs, clock()));
      if (isRefusal(next)) return next;
      const until = previousUntil(next, clock());
      return { id, key, ...(until === undefined ? {} : { previousUntil: until }) };
    },

    async revoke(id, by) {
      const next = await changing(id, { change: "revoked", by }, (key) => revoked(key, clock()));
      return isRefusal(next) ? next : undefined;
    },
  };
}

/**
 * Makes sure that somebody can get in: where no key was ever made and none is configured, an operator's is made and
 * returned, this once. Of gateways that start at the same moment one makes it; the fixed id decides.
 */
export async function ensureFirstKey(
  store: Pick<ApiKeysStore, "isEmpty">,
  office: KeyOffice,
  configured: string | undefined,
): Promise<string | undefined> {
  if (configured !== undefined || !(await store.isEmpty())) return undefined;
  const first = { kind: "operator", access: "write", label: "made at the first start" } as const;
  const made = await office.create(first, "first start", FIRST_ID);
  return isRefusal(made) ? undefined : made.key;
}
