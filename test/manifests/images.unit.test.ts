import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { K8S, rendered, workloads } from "./overlays.ts";

/** The images that k8s/README.md puts into an overlay with a digest. */
function imagesWithDigest(): string[] {
  const [, section = ""] = readFileSync(join(K8S, "README.md"), "utf8").split("\n## Images by digest\n");
  const [, block = ""] = /```yaml\nimages:\n([^`]*)```/.exec(section) ?? [];
  return [...block.matchAll(/\{ name: ([^, ]+), (?:newName: ([^, ]+), )?digest: /g)].map(
    ([, name = "", newName = name]) => newName,
  );
}

test("k8s/README.md sets each image of the production overlay by digest, and no other", () => {
  const images = workloads(rendered("production")).flatMap(({ pod: { containers, initContainers = [] } }) =>
    [...containers, ...initContainers].map(({ image = "" }) => image.split(":")[0] ?? ""),
  );
  expect(imagesWithDigest().toSorted()).toEqual([...new Set(images)].toSorted());
});
