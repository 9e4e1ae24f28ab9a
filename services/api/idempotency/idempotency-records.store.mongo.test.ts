import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { DeadlinePassed, runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { emptyDatabase } from "../../../test/real-parts/test-services.ts";
import { idempotencyRecordsStore } from "./idempotency-records.store.ts";

describe("the claim of an Idempotency-Key", () => {
  const connection = closedConnection();
  const store = idempotencyRecordsStore(connection);

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  test("that the database reads after its deadline leaves the name free", async () => {
    const [late, next] = [newWriteId(), newWriteId()];
    const claim = runInWriteContext({ deadline: Date.now() - 1 }, () => store.claim("a", "digest", late));
    await expect(claim).rejects.toThrow(DeadlinePassed);
    await expect(store.claim("a", "digest", next)).resolves.toEqual({ digest: "digest", writeId: next });
  });

  test("of the same request is its write's, also after a refusal", async () => {
    const [first, again] = [newWriteId(), newWriteId()];
    await store.claim("b", "digest", first);
    await expect(store.claim("b", "digest", again)).resolves.toEqual({ digest: "digest", writeId: first });
    await store.free("b", first);
    await expect(store.claim("b", "digest", again)).resolves.toEqual({ digest: "digest", writeId: first });
  });

  test("goes to another request after a refusal, and to none before or after an answer", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("c", "digest", first);
    await expect(store.claim("c", "other", other)).resolves.toEqual({ digest: "digest", writeId: first });
    await store.keep("c", first, { body: "{}" });
    await store.free("c", first);
    await expect(store.claim("c", "other", other)).resolves.toMatchObject({ writeId: first, done: { body: "{}" } });
    await store.claim("d", "digest", first);
    await store.free("d", first);
    await expect(store.claim("d", "other", other)).resolves.toEqual({ digest: "other", writeId: other });
  });

  test("keeps no answer of a request that has lost it", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("e", "digest", first);
    await store.free("e", first);
    await store.claim("e", "other", other);
    await store.keep("e", first, { body: "{}" });
    await expect(store.claim("e", "other", newWriteId())).resolves.toEqual({ digest: "other", writeId: other });
  });
});
