import mongoose from "mongoose";
import { describePostStore } from "../../../test/conformance/post-store-suite.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { postsStore } from "./posts.store.ts";

describePostStore("in MongoDB", async () => {
  const connection = mongoose.createConnection();
  const store = postsStore(connection);
  await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" }, readConcernLevel: "majority" });
  for (const model of Object.values(connection.models)) await model.createIndexes();
  return { store, stop: () => connection.close() };
});
