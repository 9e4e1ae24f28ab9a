import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { DeadlinePassed, withWriteDeadline } from "../../../mixins/mongo/write-deadline.ts";
import { emptyDatabase } from "../../../test/real-parts/test-services.ts";
import { keptAnswersStore } from "./kept-answers.store.ts";

describe("the claim of an Idempotency-Key", () => {
  const connection = closedConnection();
  const store = keptAnswersStore(connection);

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  test("that the database reads after its deadline leaves the name free", async () => {
    const late = withWriteDeadline(Date.now() - 1, () => store.claim("a", "digest"));
    await expect(late).rejects.toThrow(DeadlinePassed);
    await expect(store.claim("a", "digest")).resolves.toBeUndefined();
    await expect(store.claim("a", "digest")).resolves.toEqual({ digest: "digest" });
  });
});
