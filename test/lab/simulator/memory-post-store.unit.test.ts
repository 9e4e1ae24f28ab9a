import { describePostStore } from "../../conformance/post-store-suite.ts";
import { newMemoryPostStore } from "./memory-post-store.ts";

describePostStore("in memory", () =>
  Promise.resolve({ store: newMemoryPostStore(Date.now), stop: () => Promise.resolve() }),
);
