import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { type Manifest, renderKustomization } from "./kustomization.ts";
import { EVERY_OVERLAY, K8S, ofKind, OVERLAYS, rendered } from "./overlays.ts";
import { findProgram } from "./program.ts";

const GENERATED = ["settings", "nats", "mongodb", "mongos", "dashboard", "nats-tls-server"];

describe("the renderer of the tests", () => {
  test("renders each manifest once, with namespace, replicas, images and patches", () => {
    for (const overlay of OVERLAYS) {
      const manifests = rendered(overlay);
      const ids = manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
      expect(ids).toEqual([...new Set(ids)]);
      const elsewhere = manifests.filter(
        ({ kind, metadata }) => (metadata.namespace === "guildcal") === (kind === "Namespace"),
      );
      expect(elsewhere).toEqual([]);
    }
    const mongodb = ofKind(rendered("dev"), "StatefulSet").find(({ metadata: { name } }) => name === "mongodb");
    expect(mongodb).toMatchObject({ spec: { replicas: 1 } });
    expect(JSON.stringify(mongodb)).toContain('"name":"MEMBERS","value":"mongodb-0.mongodb:27017"}');
    expect(JSON.stringify(rendered("production"))).toContain('"image":"registry.example/guildcal:0.1.0"');
  });

  // kubectl is no dependency of this project. If it is installed, its output must be equal.
  if (findProgram("kubectl") !== undefined) {
    test.each(EVERY_OVERLAY)("renders %s like kubectl", (overlay) => {
      const output = execFileSync("kubectl", ["kustomize", join(K8S, "overlays", overlay)], { encoding: "utf8" });
      const theirs = parseAllDocuments(withoutHashes(output)).map((document) => document.toJS() as Manifest);
      expect(inOrder(renderKustomization(join(K8S, "overlays", overlay)))).toEqual(inOrder(theirs));
    });
  }

  test("refuses features that it lacks", () => {
    expect(() => renderKustomization(join(K8S, "base", "none"))).toThrow("ENOENT");
  });
});

function withoutHashes(text: string): string {
  return GENERATED.reduce((rest, name) => rest.replaceAll(new RegExp(`\\b${name}-[a-z0-9]{10}\\b`, "g"), name), text);
}

/** Sorts manifests and named lists, whose order has no meaning. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(inOrder);
    const isNamed = items.every((item) => keyOf(item) !== "");
    return isNamed ? items.sort((one, other) => keyOf(one).localeCompare(keyOf(other))) : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inOrder(item)]));
}

function keyOf(item: unknown): string {
  const { kind = "", name = "", metadata } = (item ?? {}) as Partial<Manifest> & { name?: string };
  return metadata === undefined ? name : `${kind} ${metadata.name}`;
}
