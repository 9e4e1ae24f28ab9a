import { SERVICES } from "../../services/contracts/service-names.ts";
import type { SourceFile } from "./source-file.ts";

/** A rule returns a sentence for each breach in a file. */
type Rule = (file: SourceFile) => readonly string[];

const isTest = ({ path }: SourceFile) => path.startsWith("test/") || /\.(?:test|bench)\.ts$/.test(path);
const contextOf = (path: string) => SERVICES.find((context) => path.startsWith(`services/${context}/`));
const isDomain = (path: string) => /^services\/[a-z-]+\/domain\//.test(path);

function breaches(file: SourceFile, forbidden: (target: string) => boolean, why: string): string[] {
  return file.imports.filter(forbidden).map((target) => `${file.path} imports ${target}: ${why}`);
}

/** Contexts meet only in services/contracts. */
const contextsAreSeparate: Rule = (file) => {
  const own = contextOf(file.path);
  if (own === undefined || isTest(file)) return [];
  const other = (target: string) => contextOf(target) !== undefined && contextOf(target) !== own;
  return breaches(file, other, "contexts meet only in services/contracts");
};

/** The rules of time zones: a table that is chosen at the start. Contracts check zone names by it, and domains convert times. */
const TIME_ZONES = /^mixins\/time-zones\/(?:time-zones|zone-rules|windows-zones|luxon-zone)\.ts$/;

/** Builders of objects: pure, and without business words. */
const OBJECTS = /^mixins\/objects\//;

/** Contracts contain types and tables, and import only other contracts. */
const contractsImportContracts: Rule = (file) => {
  if (!file.path.startsWith("services/contracts/") || isTest(file)) return [];
  const outside = (target: string) =>
    !target.startsWith("services/contracts/") && target !== "fastest-validator" && !TIME_ZONES.test(target);
  return breaches(file, outside, "a contract imports only contracts");
};

/** Mixins contain no domain logic, and import no service. */
const mixinsImportNoService: Rule = (file) => {
  if (!file.path.startsWith("mixins/") || isTest(file)) return [];
  const business = (target: string) => target.startsWith("services/") && !target.startsWith("services/contracts/");
  return breaches(file, business, "a mixin imports no service");
};

/** A domain is pure: no framework, database, Node module, clock or random numbers. */
const domainsArePure: Rule = (file) => {
  if (!isDomain(file.path) || isTest(file)) return [];
  const folder = file.path.slice(0, file.path.indexOf("/domain/") + "/domain/".length);
  const outside = (target: string) =>
    !target.startsWith(folder) &&
    !target.startsWith("services/contracts/") &&
    target !== "luxon" &&
    !OBJECTS.test(target) &&
    !TIME_ZONES.test(target);
  const impure = [
    /\bDate\.now\(/,
    /\bnew Date\(\)/,
    /\bMath\.random\(/,
    /\bprocess\./,
    /\bsetTimeout\(/,
    /\bperformance\./,
  ]
    .filter((sign) => sign.test(file.text))
    .map((sign) => `${file.path} has ${sign.source}: a domain gets time and random numbers as arguments`);
  return [...breaches(file, outside, "a domain imports only its own folder and the contracts"), ...impure];
};

/** Only the launcher reads the environment; services get their settings as arguments. */
const onlyLauncherReadsEnvironment: Rule = (file) => {
  if (file.path.startsWith("services/launch/") || isTest(file)) return [];
  return /\bprocess\.env\b/.test(file.text) ? [`${file.path} reads process.env: only services/launch does`] : [];
};

/** Only stores, and the mixins that they share, import mongoose. */
const onlyStoresUseDatabase: Rule = (file) => {
  const may =
    /\.(?:store|document)\.ts$/.test(file.path) ||
    /^(?:mixins\/mongo|mixins\/actions|services\/launch)\//.test(file.path);
  if (may || isTest(file)) return [];
  const database = (target: string) => target === "mongoose" || target === "mongodb";
  return breaches(file, database, "only a store uses the database");
};

/** Moleculer's registry and transit are internal. Only one folder uses them. */
const onlyBusFolderUsesInternals: Rule = ({ path, text }) => {
  if (path.startsWith("mixins/bus/") || isTest({ path } as SourceFile)) return [];
  const inner = /\bbroker(?:\??\.|\["|: \{ )(?:registry|transit)\b|\{ (?:registry|transit)\b/;
  return inner.test(text) ? [`${path} uses internals of Moleculer: only mixins/bus does`] : [];
};

/**
 * Every event from the bus is checked by its contract, since `listen()` creates every handler. A service's `events` are a call
 * of it, or an object of such calls. Other files may have members of that name.
 */
const eventsAreChecked: Rule = (file) => {
  const { path, text } = file;
  const isOutside = /^(?:clients|examples)\//.test(path);
  if (path === "mixins/actions/contract-event.ts" || isOutside || isTest(file)) return [];
  const values = [...text.matchAll(/(?<![\w.-])["']?events["']?:\s*/g)].map(({ index, 0: name }) =>
    text.slice(index + name.length),
  );
  const isHandled = (value: string) =>
    value.startsWith("{") ? handlersIn(value).every(isMadeByListen) : isMadeByListen(value);
  const isService = path.endsWith(".service.ts");
  return values
    .filter((value) => (isService || value.startsWith("{")) && !isHandled(value))
    .map(() => `${path} handles an event that no contract checks: listen() creates every handler`);
};

const isMadeByListen = (code: string) => /^(?:\.\.\.)?listen\(/.test(code);

/** The members of the object literal at the beginning of the text. */
function handlersIn(text: string): string[] {
  const members = [""];
  let depth = 0;
  for (const character of text) {
    if ("{([".includes(character) && (depth += 1) === 1) continue;
    if ("})]".includes(character) && (depth -= 1) === 0) break;
    if (character === "," && depth === 1) members.push("");
    else members[members.length - 1] += character;
  }
  return members
    .map((member) => member.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "").trim())
    .filter((member) => member !== "");
}

/** Production code imports no test and no client, and only tests and the launcher import the launcher. */
const noImportOfTestsOrLauncher: Rule = (file) => {
  if (isTest(file)) return [];
  const tests = (target: string) => target.startsWith("test/");
  const clients = (target: string) => target.startsWith("clients/");
  const launcher = (target: string) => target.startsWith("services/launch/");
  return [
    ...breaches(file, tests, "production code imports no test"),
    ...(/^(?:services|mixins)\//.test(file.path) ? breaches(file, clients, "production code imports no client") : []),
    ...(file.path.startsWith("services/launch/")
      ? []
      : breaches(file, launcher, "a service does not import the launcher")),
  ];
};

/** The source of a client is published alone: it imports only its own folder, and no module that a browser lacks. */
const clientsImportThemselves: Rule = (file) => {
  const [folder] = /^clients\/[a-z]+\/src\//.exec(file.path) ?? [];
  if (folder === undefined || isTest(file)) return [];
  return breaches(file, (target) => !target.startsWith(folder), "a client imports only its own folder");
};

/** File names describe the contents. */
const namesAreDescriptive: Rule = ({ path }) =>
  /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\/|\.[jt]s$)/.test(path)
    ? [`${path}: the name does not describe the contents`]
    : [];

export const RULES: Readonly<Record<string, Rule>> = {
  contextsAreSeparate,
  contractsImportContracts,
  mixinsImportNoService,
  domainsArePure,
  onlyLauncherReadsEnvironment,
  onlyStoresUseDatabase,
  onlyBusFolderUsesInternals,
  eventsAreChecked,
  noImportOfTestsOrLauncher,
  clientsImportThemselves,
  namesAreDescriptive,
};

/** Lists the pairs of files that import each other. Neither of them can be read or moved without the other. */
export function mutualImports(files: readonly SourceFile[]): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, new Set(imports)]));
  return files.flatMap(({ path, imports }) =>
    [...new Set(imports)]
      .filter((target) => path < target && importsOf.get(target)?.has(path))
      .map((target) => `${path} and ${target} import each other`),
  );
}
