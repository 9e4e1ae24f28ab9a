import { randomBytes } from "node:crypto";

/** As Moleculer puts it into subjects: words of letters, digits, hyphens and underscores, between dots. */
const NODE_ID = /^[\w-]{1,120}(?:\.[\w-]{1,120}){0,3}$/;
const SUFFIX = /-[0-9a-f]{8}$/;

/**
 * The name of a process on the bus, other than that of every other process: two replicas that are given one NODE_NAME
 * must not take each other's answers. It has two words, as the users of the bus have (services/launch/permissions/nats-permissions.ts).
 */
export function uniqueNodeId(service: string, nodeName: string): string {
  return `${service}.${nodeName}-${randomBytes(4).toString("hex")}`;
}

/** The part of a node id that its NODE_NAME gave it. */
export function withoutSuffix(nodeId: string): string {
  return nodeId.replace(SUFFIX, "");
}

export function isNodeId(value: unknown): value is string {
  return typeof value === "string" && NODE_ID.test(value);
}
