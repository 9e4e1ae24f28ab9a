import type { PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import type { Ports } from "../../../services/dispatch/protocol/ports.ts";
import { type Mutant, withSink } from "./mutant.ts";

function withStore(ports: Ports, change: (store: PostStore) => Partial<PostStore>): Ports {
  return { ...ports, store: { ...ports.store, ...change(ports.store) } };
}

/** The protocol without a protection that edits of messages need (D67). */
export const EDIT_MUTANTS: Readonly<Record<string, Mutant>> = {
  "a plan compares no message": {
    ports: (ports) => withStore(ports, () => ({ requestSteps: async () => {} })),
  },
  "a message is not compared after its send": {
    ports: (ports) =>
      withStore(ports, (store) => ({
        write: (at, write) => store.write(at, write.state === "sent" ? { ...write, stepDue: undefined } : write),
      })),
  },
  "a message that was deleted is edited on": {
    ports: (ports) =>
      withSink(ports, ({ edit }) => ({
        async edit(...args) {
          const outcome = await edit!(...args);
          return outcome.kind === "gone" ? { ...outcome, kind: "retry", afterMs: 0 } : outcome;
        },
      })),
  },
  "an edit without a response counts as made": {
    ports: (ports) =>
      withSink(ports, ({ edit }) => ({
        async edit(...args) {
          const outcome = await edit!(...args);
          return outcome.kind === "retry" ? { kind: "edited" } : outcome;
        },
      })),
  },
  "no take-over of the steps of workers that vanished": {
    ports: (ports) =>
      withStore(ports, (store) => ({
        postsWaking: async (...page) =>
          (await store.postsWaking(...page)).filter(
            ({ stepDue, owner }) => stepDue === undefined || owner === undefined,
          ),
      })),
  },
};
