import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

/** A manifest that an overlay renders. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

interface Kustomization {
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly Generator[];
  readonly patches?: readonly { path: string; target: { kind: string; name?: string } }[];
  readonly images?: readonly { name: string; newName?: string; newTag: string }[];
  readonly replicas?: readonly { name: string; count: number }[];
}

/** An operation of JSON Patch (RFC 6902). */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

interface Generator {
  readonly name: string;
  readonly envs?: readonly string[];
  readonly files?: readonly string[];
  readonly options?: { readonly labels?: Record<string, string> };
}

const KNOWN = new Set(
  "apiVersion kind namespace resources components configMapGenerator patches images replicas".split(" "),
);

/**
 * Renders a folder like `kubectl kustomize`, with the features that this project uses, so that the manifests can be tested on
 * a machine without kubectl. There is one difference: the names of generated ConfigMaps have no hash.
 */
export function renderKustomization(folder: string, below: readonly Manifest[] = []): Manifest[] {
  const kustomization = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8")) as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new Error(`${folder}: this renderer does not know ${unknown.join(", ")}`);
  const own = [
    ...below,
    ...(kustomization.resources ?? []).flatMap((path) => readResource(join(folder, path))),
    ...(kustomization.configMapGenerator ?? []).map((generator) => configMap(folder, generator)),
  ];
  const all = (kustomization.components ?? []).reduce(
    (manifests, path) => renderKustomization(join(folder, path), manifests),
    own,
  );
  const patched = (kustomization.patches ?? []).reduce((manifests, { path, target }) => {
    const patch = parse(readFileSync(join(folder, path), "utf8")) as Manifest | readonly Operation[];
    return manifests.map((manifest) => (isTarget(manifest, target) ? withPatch(manifest, patch) : manifest));
  }, all);
  return patched.map((manifest) => transform(manifest, kustomization));
}

function readResource(path: string): Manifest[] {
  if (statSync(path).isDirectory()) return renderKustomization(path);
  return parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS() as Manifest);
}

function configMap(folder: string, { name, envs = [], files = [], options = {} }: Generator): Manifest {
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  const data = [
    ...envs.flatMap((path) => environmentLines(read(path))),
    ...files.map((path) => [basename(path), read(path)] as const),
  ];
  const { labels } = options;
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: Object.fromEntries(data) } as Manifest;
}

function environmentLines(text: string): [name: string, value: string][] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
}

function isTarget({ kind, metadata }: Manifest, target: { kind: string; name?: string }): boolean {
  return kind === target.kind && (target.name === undefined || new RegExp(`^(?:${target.name})$`).test(metadata.name));
}

function withPatch(manifest: Manifest, patch: Manifest | readonly Operation[]): Manifest {
  if (isOperations(patch)) return patch.reduce(withAppended, manifest);
  const { metadata: _, ...others } = patch;
  return merge(manifest, others) as Manifest;
}

function isOperations(patch: Manifest | readonly Operation[]): patch is readonly Operation[] {
  return Array.isArray(patch);
}

/** Appends to a list, which is the only operation of JSON Patch that this project uses. */
function withAppended(manifest: Manifest, { op, path, value }: Operation): Manifest {
  const [, ...keys] = path.split("/");
  if (op !== "add" || keys.pop() !== "-") throw new Error(`this renderer does not know ${op} ${path}`);
  const copy = structuredClone(manifest);
  const list = keys.reduce((inside: unknown, key) => (inside as Record<string, unknown>)[key], copy);
  if (!Array.isArray(list)) throw new Error(`${manifest.metadata.name} has no list ${path}`);
  list.push(value);
  return copy;
}

/** A strategic merge: lists of named objects are merged by name, other lists are replaced. */
function merge(into: unknown, patch: unknown): unknown {
  if (isNamedList(into) && isNamedList(patch)) {
    const known = into.map((item) => {
      const change = patch.find(({ name }) => name === item.name);
      return change === undefined ? item : merge(item, change);
    });
    return [...known, ...patch.filter(({ name }) => !into.some((item) => item.name === name))];
  }
  if (!isMap(into) || !isMap(patch)) return patch;
  const merged = Object.entries(patch).map(([key, value]) => [key, key in into ? merge(into[key], value) : value]);
  return { ...into, ...Object.fromEntries(merged) };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is { name: string }[] {
  return Array.isArray(value) && value.every((item) => isMap(item) && "name" in item);
}

/** Applies namespace, replicas and images. */
function transform(manifest: Manifest, { namespace, replicas = [], images = [] }: Kustomization): Manifest {
  const { kind, metadata } = manifest;
  const count = replicas.find(({ name }) => name === metadata.name && isScaled(kind))?.count;
  const placed = {
    ...manifest,
    metadata: namespace === undefined || kind === "Namespace" ? metadata : { ...metadata, namespace },
    ...(count === undefined ? {} : { spec: { ...(manifest as { spec?: object }).spec, replicas: count } }),
  };
  return images.reduce((text: Manifest, image) => withImage(text, image) as Manifest, placed);
}

function isScaled(kind: string): boolean {
  return kind === "Deployment" || kind === "StatefulSet";
}

function withImage(value: unknown, image: { name: string; newName?: string; newTag: string }): unknown {
  if (Array.isArray(value)) return value.map((item) => withImage(item, image));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isIt = key === "image" && item === image.name;
      return [key, isIt ? `${image.newName ?? image.name}:${image.newTag}` : withImage(item, image)];
    }),
  );
}
