import type { Middleware, Packet, ServiceBroker, Transit } from "moleculer";
import { RateLimitedLog } from "../observability/rate-limited-log.ts";
import { busRefusals } from "../observability/metrics.ts";
import { isNodeId, withoutSuffix } from "./node-id.ts";

type Payload = Readonly<Record<string, unknown>>;
type Handler = (command: string, packet: Packet.Packet<Packet.PacketPayload> | null) => Promise<boolean>;
type Nodes = ServiceBroker["registry"]["nodes"];

/** Largest number of known processes, including those that have left: Moleculer remembers them for ten minutes. */
const MAX_NODES = 1_000;

/** Version 5 of the protocol (Moleculer 0.15) adds the field `headers`, which may be absent, to version 4 (0.14). */
const PREVIOUS_PROTOCOL_VERSION = "4";

/** Names, ids and error texts are shorter; a longer text would fill logs and the registry. */
const MAX_TEXT_LENGTH = 300;

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= MAX_TEXT_LENGTH;
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isAbsent = (value: unknown) => value === undefined || value === null;
const isNumber = (value: unknown) => typeof value === "number";
const isTextOrAbsent = (value: unknown) => isAbsent(value) || isText(value);
const isNumberOrAbsent = (value: unknown) => isAbsent(value) || isNumber(value);
const isObjectOrAbsent = (value: unknown) => isAbsent(value) || isObject(value);
const isGroups = (value: unknown) => isAbsent(value) || (Array.isArray(value) && value.every(isText));
const isServices = (value: unknown) => Array.isArray(value) && value.every(isService);
const isService = (value: unknown) => {
  const { name, actions, events } = Object(value) as Payload;
  return isText(name) && isObjectOrAbsent(actions) && isObjectOrAbsent(events);
};
/** Moleculer collects a stream without a limit; no action of guildcal has one. */
const isNoStream = (value: unknown) => isAbsent(value) || value === false;

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

/** Fields of requests and of responses. Their `seq` numbers the chunks of a stream. */
const callFields = { id: isText, meta: isObjectOrAbsent, headers: isObjectOrAbsent, stream: isNoStream, seq: isAbsent };

/**
 * The fields that Moleculer reads without a check, by the packet's command (REQ is a request, RES its response, INFO lists the
 * services of a process). A wrong field makes Moleculer throw, and log the whole packet with its params.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  REQ: { ...callFields, action: isText, timeout: isNumberOrAbsent, level: isNumberOrAbsent, requestID: isTextOrAbsent },
  RES: { ...callFields, success: (value) => typeof value === "boolean", error: isObjectOrAbsent },
  EVENT: { id: isTextOrAbsent, event: isText, groups: isGroups, meta: isObjectOrAbsent, headers: isObjectOrAbsent },
  INFO: { instanceID: isText, services: isServices, seq: isNumberOrAbsent, config: isObjectOrAbsent },
  HEARTBEAT: { instanceID: isTextOrAbsent, seq: isNumberOrAbsent },
  PING: { id: isTextOrAbsent, time: isNumberOrAbsent },
  PONG: { id: isTextOrAbsent, time: isNumberOrAbsent, arrived: isNumberOrAbsent },
};

/**
 * Drops packets that Moleculer cannot process. Anyone with a NATS user may send one, in the name of any service.
 *
 * Moleculer stops the process when it receives an INFO with its own node id and another instance id. Node ids are unique here
 * (node-id.ts), so such a packet is forged and is dropped. With the own instance id, too, Moleculer ignores it. An INFO that is
 * forged in the name of another process would be believed for ever. Therefore a heartbeat also contains the instance id of the
 * sender and the number of its last INFO; Moleculer's own heartbeats lack both. If they differ from the known ones, Moleculer is
 * made to request a new INFO.
 */
export function packetChecks(): Middleware {
  let log: RateLimitedLog | undefined;
  return {
    name: "packet-checks",
    transitMessageHandler(this: Transit, next: Handler): Handler {
      const { broker, opts } = this;
      const versions = [
        broker.PROTOCOL_VERSION,
        ...(opts.disableVersionCheck === true ? [PREVIOUS_PROTOCOL_VERSION] : []),
      ];
      return (command, packet) => {
        const payload = Object(packet?.payload) as Payload;
        const problem = payloadProblem(broker, command, payload, versions);
        log ??= new RateLimitedLog((fields, text) => broker.getLogger("bus").warn(fields, text));
        if (problem === undefined) {
          if (command === "HEARTBEAT") forgetInfoOnMismatch(broker.registry.nodes, payload);
          if (command === "INFO") warnOfDuplicateName(log, broker.nodeID, payload["sender"] as string);
          return next(command, packet);
        }
        busRefusals.inc({ packet: command, reason: problem });
        const sender = isText(payload["sender"]) ? payload["sender"] : undefined;
        log.note(`${command} ${problem}`, { packet: command, sender, problem }, "a packet from the bus was dropped");
        // Moleculer takes false for "not processed".
        return Promise.resolve(false);
      };
    },
    transitPublish(this: Transit, next: Transit["publish"]): Transit["publish"] {
      const { broker } = this;
      return (packet) => {
        const { instanceID, registry } = broker;
        if (packet.type === "HEARTBEAT")
          Object.assign(packet.payload, { instanceID, seq: registry.nodes.localNode?.seq });
        return next(packet);
      };
    },
    // Moleculer declares that these hooks return a result; they return a handler.
  } as unknown as Middleware;
}

function payloadProblem(
  broker: ServiceBroker,
  command: string,
  payload: Payload,
  versions: readonly unknown[],
): string | undefined {
  const { sender, ver, instanceID } = payload;
  if (!isNodeId(sender)) return "no node id as its sender";
  if (!versions.includes(ver)) return "another version of the protocol";
  const wrong = Object.entries(SHAPES[command] ?? {}).find(([field, isRight]) => !isRight(payload[field]));
  if (wrong !== undefined) return `a wrong ${wrong[0]}`;
  if (command !== "INFO") return undefined;
  if (sender === broker.nodeID && instanceID !== broker.instanceID) return "this process's own node id";
  return makeRoom(broker.registry.nodes, sender) ? undefined : "too many nodes";
}

/** Forgets a process that has left if there is no room for an unknown sender. Returns false if there is still no room. */
function makeRoom(nodes: Nodes, sender: string): boolean {
  if (nodes.count() < MAX_NODES || nodes.get(sender) !== undefined) return true;
  const left = nodes.toArray().find(({ available }) => !available);
  if (left !== undefined) nodes.delete(left.id);
  return left !== undefined;
}

/**
 * Moleculer requests another INFO if the numbers differ, but accepts only an INFO with a higher number than the known
 * one. Therefore the known number is set to 0: any INFO is then accepted.
 */
function forgetInfoOnMismatch(nodes: Nodes, { sender, instanceID, seq }: Payload): void {
  const node = nodes.get(sender as string);
  if (node === undefined || isAbsent(seq) || isAbsent(instanceID)) return;
  if (node.seq !== seq || node.instanceID !== instanceID) node.seq = 0;
}

function warnOfDuplicateName(log: RateLimitedLog, own: string, sender: string): void {
  if (sender === own || withoutSuffix(sender) !== withoutSuffix(own)) return;
  log.note(
    "duplicate NODE_NAME",
    { sender },
    "another process has the same NODE_NAME: give each replica a name of its own",
  );
}
