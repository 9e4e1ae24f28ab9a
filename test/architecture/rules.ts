import { SERVICES } from "../../services/contracts/service-names.ts";
import type { SourceFile } from "./source-file.ts";

/** What a rule says of a file: a sentence for each breach. */
type Rule = (file: SourceFile) => readonly string[];

const isTest = ({ path }: SourceFile) => path.startsWith("test/") || /\.(?:test|bench)\.ts$/.test(path);
const contextOf = (path: string) => SERVICES.find((context) => path.startsWith(`services/${context}/`));
const isDomain = (path: string) => /^services\/[a-z-]+\/domain\//.test(path);

function breaches(file: SourceFile, forbidden: (target: string) => boolean, why: string): string[] {
  return file.imports.filter(forbidden).map((target) => `${file.path} imports ${target}: ${why}`);
}

/** Contexts meet only in services/contracts. */
const contextsKeepApart: Rule = (file) => {
  const own = contextOf(file.path);
  if (own === undefined || isTest(file)) return [];
  const other = (target: string) => contextOf(target) !== undefined && contextOf(target) !== own;
  return breaches(file, other, "a context knows of another only what services/contracts says");
};

/** The rules of the world's time zones: a table, chosen at start, that contracts check names against and domains read clocks by. */
const TIME_ZONES = /^mixins\/time-zones\/(?:time-zones|zone-rules|luxon-zone)\.ts$/;

/** Builders of objects: pure, and without business words. */
const OBJECTS = /^mixins\/objects\//;

/** A contract is types and tables: it stands on nothing. */
const contractsStandAlone: Rule = (file) => {
  if (!file.path.startsWith("services/contracts/") || isTest(file)) return [];
  const outside = (target: string) =>
    !target.startsWith("services/contracts/") && target !== "fastest-validator" && !TIME_ZONES.test(target);
  return breaches(file, outside, "a contract stands on contracts alone");
};

/** A mixin has no business words, and does not know who mixes it in. */
const mixinsKnowNobody: Rule = (file) => {
  if (!file.path.startsWith("mixins/") || isTest(file)) return [];
  const business = (target: string) => target.startsWith("services/") && !target.startsWith("services/contracts/");
  return breaches(file, business, "a mixin does not know who mixes it in");
};

/** A domain is pure: no framework, no database, no node module, no clock, no chance. */
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
    .map((sign) => `${file.path} has ${sign.source}: a domain takes the clock and chance as arguments`);
  return [...breaches(file, outside, "a domain stands on its own folder and the contracts"), ...impure];
};

/** Only the launcher reads the environment; services are given their settings. */
const environmentIsTheLaunchers: Rule = (file) => {
  if (file.path.startsWith("services/launch/") || isTest(file)) return [];
  return /\bprocess\.env\b/.test(file.text) ? [`${file.path} reads process.env: only services/launch does`] : [];
};

/** mongoose is the stores' alone, and the mixins' that they share. */
const databaseIsTheStores: Rule = (file) => {
  const may =
    /\.(?:store|document)\.ts$/.test(file.path) ||
    /^(?:mixins\/mongo|mixins\/actions|services\/launch)\//.test(file.path);
  if (may || isTest(file)) return [];
  const database = (target: string) => target === "mongoose" || target === "mongodb";
  return breaches(file, database, "only a store speaks to the database");
};

/** Moleculer's registry and transit are its own: what is done with them stands in one folder. */
const innerPartsAreTheBusFolders: Rule = ({ path, text }) => {
  if (path.startsWith("mixins/bus/") || isTest({ path } as SourceFile)) return [];
  const inner = /\bbroker(?:\??\.|\["|: \{ )(?:registry|transit)\b|\{ (?:registry|transit)\b/;
  return inner.test(text) ? [`${path} reaches into Moleculer: only mixins/bus does`] : [];
};

/**
 * What a service hears on the bus passes the check of its contract: `listen()` makes every handler. A service's `events`
 * are one call of it, or an object that holds nothing else; other files may have members of that name.
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
    .map(() => `${path} handles an event that no contract checks: listen() makes every handler`);
};

const isMadeByListen = (code: string) => /^(?:\.\.\.)?listen\(/.test(code);

/** The members of the object literal that the text begins with. */
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

/** What runs never stands on what tests it, and nothing but a test or the launcher itself starts things. */
const nobodyStandsOnTestsOrLauncher: Rule = (file) => {
  if (isTest(file)) return [];
  const tests = (target: string) => target.startsWith("test/");
  const clients = (target: string) => target.startsWith("clients/");
  const launcher = (target: string) => target.startsWith("services/launch/");
  return [
    ...breaches(file, tests, "what runs does not stand on tests"),
    ...(/^(?:services|mixins)\//.test(file.path)
      ? breaches(file, clients, "what runs does not stand on its clients")
      : []),
    ...(file.path.startsWith("services/launch/")
      ? []
      : breaches(file, launcher, "a service does not know what starts it")),
  ];
};

/** The source of a client is published without the rest: it stands on its own folder, and on nothing that a browser lacks. */
const clientsStandAlone: Rule = (file) => {
  const [folder] = /^clients\/[a-z]+\/src\//.exec(file.path) ?? [];
  if (folder === undefined || isTest(file)) return [];
  return breaches(file, (target) => !target.startsWith(folder), "a client stands on its own folder");
};

/** A name says what a file is. */
const namesSaySomething: Rule = ({ path }) =>
  /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\/|\.[jt]s$)/.test(path) ? [`${path}: the name says nothing`] : [];

export const RULES: Readonly<Record<string, Rule>> = {
  contextsKeepApart,
  contractsStandAlone,
  mixinsKnowNobody,
  domainsArePure,
  environmentIsTheLaunchers,
  databaseIsTheStores,
  innerPartsAreTheBusFolders,
  eventsAreChecked,
  nobodyStandsOnTestsOrLauncher,
  clientsStandAlone,
  namesSaySomething,
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
