import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { DeadlinePassed, runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { idempotencyRecordsStore } from "./idempotency-records.store.ts";

describe("the claim of an Idempotency-Key", () => {
  const connection = closedConnection();
  const store = idempotencyRecordsStore(connection);

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  test("leaves the key free if it reaches the database after its deadline", async () => {
    const [late, next] = [newWriteId(), newWriteId()];
    const claim = runInWriteContext({ deadline: Date.now() - 1 }, () => store.claim("a", "digest", late, "1"));
    await expect(claim).rejects.toThrow(DeadlinePassed);
    await expect(store.claim("a", "digest", next, "1")).resolves.toEqual({ digest: "digest", writeId: next });
  });

  test("of the same request returns the same write id, also after a refusal", async () => {
    const [first, again] = [newWriteId(), newWriteId()];
    await store.claim("b", "digest", first, "1");
    await expect(store.claim("b", "digest", again, "1")).resolves.toEqual({ digest: "digest", writeId: first });
    await store.release("b", first);
    await expect(store.claim("b", "digest", again, "1")).resolves.toEqual({ digest: "digest", writeId: first });
  });

  test("goes to another request after a refusal, and to none before or after a response", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("c", "digest", first, "1");
    await expect(store.claim("c", "other", other, "1")).resolves.toEqual({ digest: "digest", writeId: first });
    await store.saveResponse("c", first, { body: "{}" });
    await store.release("c", first);
    await expect(store.claim("c", "other", other, "1")).resolves.toMatchObject({
      writeId: first,
      response: { body: "{}" },
    });
    await store.claim("d", "digest", first, "1");
    await store.release("d", first);
    await expect(store.claim("d", "other", other, "1")).resolves.toEqual({ digest: "other", writeId: other });
  });

  test("goes to no other request if the request was repeated before it was refused", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("f", "digest", first, "1");
    await store.claim("f", "digest", newWriteId(), "1");
    await store.release("f", first);
    await expect(store.claim("f", "other", other, "1")).resolves.toEqual({ digest: "digest", writeId: first });
  });

  test("is that of the repetition after a refusal, until the repetition is refused, too", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("g", "digest", first, "1");
    await store.release("g", first);
    await store.claim("g", "digest", newWriteId(), "1");
    await expect(store.claim("g", "other", other, "1")).resolves.toEqual({ digest: "digest", writeId: first });
    await store.release("g", first);
    await expect(store.claim("g", "other", other, "1")).resolves.toEqual({ digest: "other", writeId: other });
  });

  test("stores no response of a request that has lost the claim", async () => {
    const [first, other] = [newWriteId(), newWriteId()];
    await store.claim("e", "digest", first, "1");
    await store.release("e", first);
    await store.claim("e", "other", other, "1");
    await store.saveResponse("e", first, { body: "{}" });
    await expect(store.claim("e", "other", newWriteId(), "1")).resolves.toEqual({ digest: "other", writeId: other });
  });
});
