import type { SourceEdit } from "../../real-parts/source-edit.ts";

const ledger = "services/dispatch/protocol/ledger.ts";

/** What a negative control takes out of the replicas of dispatch, each by its name. */
export const PROTECTIONS = {
  "a dead worker's post is taken over": [
    {
      file: "services/dispatch/posts.store.ts",
      text: "takeOver({ id, fence, ...claim }) {",
      without: "takeOver({ id, fence, ...claim }) { if (id !== '') return Promise.resolve(null);",
    },
  ],
  "what is long overdue is looked for": [
    {
      file: "services/dispatch/protocol/looks.ts",
      text: 'life.repeat("look back", timing.lookBackEveryMs, lookBack);',
      without: "",
    },
  ],
  "the feeds are read every 2 s, not every 20 s": [
    { file: "services/dispatch/protocol/timing.ts", text: "feedEveryMs: 2_000", without: "feedEveryMs: 20_000" },
  ],
  "what the owners say at the due instant is heeded": [
    {
      file: "services/dispatch/protocol/fire.ts",
      text: "answer !== undefined && !stands(post, answer.truth, timing.graceMs)",
      without: "false",
    },
  ],
  "the plan stands while the bus is down": [
    {
      file: "services/dispatch/protocol/ask-truth.ts",
      text: "if (!owners.reachable()) return lastSeen(post, now);",
      without: "if (!owners.reachable()) return undefined;",
    },
  ],
  "a database error is met with another try": [
    { file: ledger, text: "await life.sleep(AGAIN_MS);", without: "return null;" },
    { file: "services/dispatch/protocol/life.ts", text: "failures += 1;", without: "return;" },
    { file: "services/dispatch/protocol/agenda.ts", text: "if (!isKnown) void looks.again(post);", without: "" },
    {
      file: "mixins/mongo/database.mixin.ts",
      text: "serverSelectionTimeoutMS: SERVER_SELECTION_MS,",
      without: "serverSelectionTimeoutMS: 100, retryReads: false, retryWrites: false,",
    },
  ],
  "a claim in doubt is resolved by its attempt id": [
    {
      file: ledger,
      text: 'return row?.state === "sending" && row.attemptId === claim.attemptId ? row : null;',
      without: "return row && null;",
    },
  ],
  "time is the database's, not the node's": [
    { file: "services/dispatch/dispatch.service.ts", text: "() => performance.now(),", without: "() => Date.now()," },
  ],
  "a post that crashed two workers is quarantined": [
    {
      file: "services/dispatch/protocol/rescue.ts",
      text: "const POISON_CRASHES = 2;",
      without: "const POISON_CRASHES = 2_000;",
    },
  ],
  "an answer that only an operator can mend halts the sink": [
    {
      file: "services/dispatch/discord.sink.ts",
      text: 'if (startedAt < halt.until) return { kind: "halted", reason: halt.reason };',
      without: "",
    },
    {
      file: "services/dispatch/protocol/dispatcher.ts",
      text: "halts.reasonFor(row.sink) !== undefined && clock.now() <= row.deadline",
      without: "false",
    },
  ],
  "a channel that refuses suspends its announcement": [
    {
      file: "services/dispatch/protocol/deliver.ts",
      text: 'return scope === "channel" ?',
      without: "return scope === undefined ?",
    },
  ],
  "a global limit stops every lane": [
    { file: "services/dispatch/discord/rate-limits.ts", text: "if (isGlobal(answer))", without: "if (false)" },
  ],
} as const satisfies Readonly<Record<string, readonly SourceEdit[]>>;

export type ProtectionName = keyof typeof PROTECTIONS;
