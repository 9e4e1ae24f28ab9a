import { describe, expect, test } from "@jest/globals";
import { mutualImports, RULES } from "./rules.ts";
import { readSources, sourceFile } from "./source-file.ts";

const planted: Record<keyof typeof RULES, readonly [path: string, text: string][]> = {
  contextsAreSeparate: [["services/dispatch/plan.ts", 'import { x } from "../announcements/announcements.store.ts";']],
  contractsImportContracts: [
    ["services/contracts/a.ts", 'import { serve } from "../../mixins/actions/contract-action.ts";'],
    ["services/contracts/b.ts", 'export * from "mongoose";'],
  ],
  mixinsImportNoService: [["mixins/clock.ts", 'import type { x } from "../services/dispatch/sinks/sink.ts";']],
  domainsArePure: [
    ["services/dispatch/domain/a.ts", 'import { readFileSync } from "node:fs";'],
    ["services/dispatch/domain/b.ts", "export const late = (due: number) => Date.now() - due;"],
    ["services/dispatch/domain/c.ts", 'import { x } from "../store/posts.store.ts";'],
    ["services/dispatch/domain/d.ts", "export const roll = () => Math.random();"],
    ["services/dispatch/domain/e.ts", 'const { Schema } = await import("mongoose");'],
  ],
  onlyLauncherReadsEnvironment: [["services/api/api.settings.ts", 'export const port = process.env["PORT"];']],
  onlyStoresUseDatabase: [["services/dispatch/dispatch.service.ts", 'import mongoose,\n  { Schema } from "mongoose";']],
  onlyBusFolderUsesInternals: [
    ["services/api/gateway.ts", "if (!broker.registry.actions.isAvailable(name)) throw new Error(name);"],
    ["services/dispatch/adapters/known-replicas.ts", "const all = ({ registry }: ServiceBroker) => registry.nodes;"],
  ],
  eventsAreChecked: [
    [
      "services/api/api.service.ts",
      'return { name: "api", events: { "key.changed": ({ params }) => forget(params) } };',
    ],
    [
      "services/dispatch/dispatch.service.ts",
      "events: {\n  ...listen(guildSettingsChanged, ({ guildId }) => hint(guildId)),\n  [calendarChanged.name](context) {},\n},",
    ],
    ["services/announcements/announcements.service.ts", "return { actions, events: handlers };"],
    ["mixins/bus/steady.ts", 'const schema = { "events": { "$node.connected"() {} } };'],
  ],
  noImportOfTestsOrLauncher: [
    ["services/api/api.service.ts", 'import { x } from "../../test/harness/test-services.ts";'],
    ["services/api/api.service.ts", 'import { x } from "../launch/parts.ts";'],
    ["mixins/bus/replicas.ts", 'import { x } from "../../clients/http/src/index.ts";'],
  ],
  clientsImportThemselves: [
    ["clients/http/src/client.ts", 'import { ERRORS } from "../../../services/contracts/errors.ts";'],
    ["clients/contracts/src/bus.ts", 'import { v7 } from "uuid";'],
    ["clients/http/src/client.ts", 'import { randomUUID } from "node:crypto";'],
  ],
  namesAreDescriptive: [
    ["services/api/utils.ts", ""],
    ["services/common/time.ts", ""],
  ],
};

describe("the architecture", () => {
  const files = readSources("services", "mixins", "test", "clients", "examples");

  test("is checked in the whole project", () => {
    const seen = (prefix: string) => files.filter(({ path }) => path.startsWith(prefix)).length;
    expect(seen("services/")).toBeGreaterThan(30);
    expect(seen("services/contracts/")).toBeGreaterThan(8);
    expect(seen("mixins/")).toBeGreaterThan(6);
    expect(seen("clients/")).toBeGreaterThan(15);
  });

  describe.each(Object.entries(RULES))("%s", (name, rule) => {
    test.each(planted[name] ?? [])("finds a planted breach in %s", (path, text) => {
      expect(rule(sourceFile(path, text))).toHaveLength(1);
    });

    test("has no breach", () => {
      expect(planted[name]?.length).toBeGreaterThan(0);
      expect(files.flatMap(rule)).toEqual([]);
    });
  });

  describe("two files", () => {
    const post = sourceFile("services/dispatch/post.ts", 'import type { Wait } from "./wait.ts";');
    const wait = sourceFile("services/dispatch/wait.ts", 'import { type SinkName } from "./post.ts";');

    test("that import each other are found", () => {
      expect(mutualImports([post, wait])).toEqual([
        "services/dispatch/post.ts and services/dispatch/wait.ts import each other",
      ]);
    });

    test("of which only one imports the other are allowed", () => {
      expect(mutualImports([post, sourceFile(wait.path, "")])).toEqual([]);
    });

    test("never import each other", () => {
      expect(mutualImports(files)).toEqual([]);
    });
  });
});
