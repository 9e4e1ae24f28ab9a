import { randomBytes } from "node:crypto";

/** A node id in subjects: one to four tokens, each with 1 to 120 letters, digits, hyphens and underscores. */
const NODE_ID = /^[\w-]{1,120}(?:\.[\w-]{1,120}){0,3}$/;
const SUFFIX = /-[0-9a-f]{8}$/;

/**
 * The node id of a process, different from that of every other process: two replicas with one NODE_NAME must not
 * receive each other's responses. It has two tokens, as the NATS permissions expect
 * (services/launch/permissions/nats-permissions.ts).
 */
export function uniqueNodeId(service: string, nodeName: string): string {
  return `${service}.${nodeName}-${randomBytes(4).toString("hex")}`;
}

/** The node id without the random suffix of the process. */
export function withoutSuffix(nodeId: string): string {
  return nodeId.replace(SUFFIX, "");
}

export function isNodeId(value: unknown): value is string {
  return typeof value === "string" && NODE_ID.test(value);
}
