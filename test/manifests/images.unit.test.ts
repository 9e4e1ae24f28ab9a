import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
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

describe("the labels of the image", () => {
  const dockerfile = readFileSync(join(dirname(K8S), "Dockerfile"), "utf8");
  const final = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  const labels = new Map(
    [...final.matchAll(/\borg\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  /** The build arguments of the final stage, before the labels that use them, with their defaults. */
  const buildArguments = new Map(
    [...final.slice(0, final.indexOf("LABEL ")).matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  const {
    name: title,
    description,
    license: licenses,
    version,
  } = JSON.parse(readFileSync(join(dirname(K8S), "package.json"), "utf8")) as Record<string, string>;

  test("say what package.json says", () => {
    const [named, described, licensed] = ["title", "description", "licenses"].map((name) => labels.get(name));
    expect([named, described, licensed]).toEqual([title, description, licenses]);
    expect(buildArguments.get("VERSION")).toBe(version);
  });

  test("have the source, revision, time and version of the build from its arguments", () => {
    const others = [...labels].filter(([, value]) => value.startsWith("$"));
    expect(Object.fromEntries(others)).toEqual({
      source: "${SOURCE}",
      revision: "${REVISION}",
      created: "${CREATED}",
      version: "${VERSION}",
    });
    expect([...buildArguments.keys()].toSorted()).toEqual(["CREATED", "REVISION", "SOURCE", "VERSION"]);
  });

  test("get every argument from the build command of k8s/README.md", () => {
    const [, command = ""] =
      /^(docker build (?:[^\n]*\\\n)*[^\n]*)$/m.exec(readFileSync(join(K8S, "README.md"), "utf8")) ?? [];
    const given = [...command.matchAll(/--build-arg (\w+)=\S/g)].map(([, name = ""]) => name);
    expect(given.toSorted()).toEqual([...buildArguments.keys()].toSorted());
  });
});
