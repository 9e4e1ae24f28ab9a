import { VERSION } from "../../services/contracts/version.ts";

/** The files that contain the version, by path. */
export const RELEASE_FILES = [
  "package.json",
  "package-lock.json",
  "services/api/openapi/openapi.json",
  "Dockerfile",
  "k8s/overlays/production/kustomization.yaml",
  "k8s/README.md",
  "CHANGELOG.md",
  "docs/deploying.md",
  "clients/README.md",
  "clients/http/package.json",
  "clients/contracts/package.json",
  "examples/bot/package.json",
  "examples/service/package.json",
] as const;

export type ReleaseFiles = Readonly<Record<(typeof RELEASE_FILES)[number], string>>;

/** The places of the version in each file; every match of the pattern is compared. */
const VERSIONS: readonly (readonly [path: (typeof RELEASE_FILES)[number], what: string, pattern: RegExp])[] = [
  ["package-lock.json", "the version of the package", /^ {2,6}"version": "([^"]+)",$/gm],
  ["services/api/openapi/openapi.json", "info.version", /"info": \{[^{}]*?"version": "([^"]+)"/g],
  ["Dockerfile", "the build argument VERSION", /^ARG VERSION=(.*)$/gm],
  ["k8s/overlays/production/kustomization.yaml", "the image's newTag", /name: guildcal,[^}]*newTag: ([^\s}]+)/g],
  ["k8s/README.md", "the image's tag or version", /\b(?:guildcal:|VERSION=)(\d[\w.-]*)/g],
  ["docs/deploying.md", "the release of a schema version", /^\| (\d+\.\d+[\w.-]*) +\|(?![\s\S]*^\| \d+\.\d)/gm],
  ["clients/README.md", "the version of a tarball", /guildcal-[\w-]+-(\d[\w.-]*)\.tgz/g],
  ["clients/http/package.json", "the version of the package", /"version": "([^"]+)"/g],
  ["clients/contracts/package.json", "the version of the package", /"version": "([^"]+)"/g],
  ["examples/bot/package.json", "the version of the client", /"@guildcal\/[\w-]+": "([^"]+)"/g],
  ["examples/service/package.json", "the version of the contracts", /"@guildcal\/[\w-]+": "([^"]+)"/g],
];

/** A version of Semantic Versioning without build metadata. */
const SEMANTIC = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The problems that prevent a release, a sentence each: places with another version than package.json, and a changelog without
 * a section for it. With a `tag`, the tag to create, the changelog may have no unreleased changes, and the table of schema
 * versions no unreleased row.
 */
export function releaseProblems(files: ReleaseFiles, tag?: string): string[] {
  const { version } = JSON.parse(files["package.json"]) as { readonly version: string };
  if (!SEMANTIC.test(version)) return [`package.json: the version ${version} is not one of semantic versioning`];
  return [
    ...VERSIONS.flatMap(([path, what, pattern]) => versionProblems(path, what, files[path], pattern, version)),
    ...(VERSION === version ? [] : [`services/contracts/version.ts: VERSION is ${VERSION}, not ${version}`]),
    ...changelogProblems(files["CHANGELOG.md"], version, tag !== undefined),
    ...(tag !== undefined && /^\| unreleased /m.test(files["docs/deploying.md"])
      ? ["docs/deploying.md: the table of schema versions has the row unreleased"]
      : []),
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag is ${tag}, not v${version}`]),
  ];
}

function versionProblems(path: string, what: string, text: string, pattern: RegExp, version: string): string[] {
  // The entries of installed packages follow later in the lock file.
  const own = path === "package-lock.json" ? text.slice(0, text.indexOf('"dependencies"')) : text;
  const named = [...own.matchAll(pattern)].map(([, each]) => each!);
  if (named.length === 0) return [`${path}: ${what} is missing`];
  return [...new Set(named)]
    .filter((each) => each !== version)
    .map((each) => `${path}: ${what} is ${each}, not ${version}`);
}

/** Checks the form of Keep a Changelog: "Unreleased", then the releases with their dates, the latest first. */
function changelogProblems(changelog: string, version: string, isTagged: boolean): string[] {
  const [unreleased, latest] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  if (unreleased !== "[Unreleased]") return [`CHANGELOG.md: the first section is ${unreleased}, not [Unreleased]`];
  const [, released, date = ""] = /^\[([^\]]+)\] - (\S+)$/.exec(latest ?? "") ?? [];
  if (released !== version) return [`CHANGELOG.md: the latest release is ${latest ?? "missing"}, not [${version}]`];
  if (!isDate(date)) return [`CHANGELOG.md: ${date} is no date such as 2030-01-31`];
  const pending = /^## \[Unreleased\]$([\s\S]*?)^## /m.exec(changelog)?.[1]?.trim();
  return isTagged && pending !== "" ? ["CHANGELOG.md: there are unreleased changes"] : [];
}

function isDate(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
