import { randomBytes } from "node:crypto";
import moleculer, { type Packet, type ServiceBroker, type Transit } from "moleculer";
import { connect, type ConnectionOptions, Events, type NatsConnection, type Subscription } from "nats";
import { EndOfTurn } from "../async/end-of-turn.ts";
import { InFlightMap } from "../async/in-flight-map.ts";
import { busRefusals } from "../observability/metrics.ts";
import { RateLimitedLog } from "../observability/rate-limited-log.ts";
import { isMessagePart, MessageJoiner, splitMessage } from "./message-parts.ts";
import { MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, packetProblem, PART_BYTES } from "./packet-limits.ts";

export interface NatsTransporterOptions {
  /**
   * `nats://user:password@host:port`; several are separated by commas, and the first user and password are used. With
   * `tls://`, a server without TLS is refused.
   */
  readonly url: string;
  /** The name of the connection on the NATS server. */
  readonly name: string;
}

/** The subject of a queue group, and the command of the packets that arrive on it. */
interface QueueGroup {
  readonly subject: string;
  readonly queue: string;
  readonly command: "REQ" | "EVENT";
}

interface SendMeta {
  readonly packet: Packet.Packet<Packet.PacketPayload & { readonly id?: string }>;
  readonly balanced?: boolean;
}

/** Age at which an incomplete message is dropped. Its caller has timed out by then. */
const MAX_AGE_MS = 10_000;
const RECONNECT_PAUSE_MS = 250;
/** The NATS status "no responders": a request was published to a subject without a subscriber. */
const NO_RESPONDERS = 503;

/**
 * Carries Moleculer's packets over NATS, for brokers with `disableBalancer`: NATS queue groups choose the replica.
 * mixins/README.md lists the defects of Moleculer's own NATS transporter.
 *
 * A request without a subscriber, as in the moment in which a server of the NATS cluster is lost, fails at once. No
 * replica has received the request, so any request can be sent again (retries.middleware.ts).
 *
 * A response may hold ten thousand events (D17), more than a NATS server accepts in one message. A large response is
 * sent in parts. Only responses are, because a response goes to one node; the parts of a request could reach several.
 */
export class NatsTransporter extends moleculer.Transporters.Base {
  override hasBuiltInBalancer = true;
  readonly #options: NatsTransporterOptions;
  #connection: NatsConnection | undefined;
  #isUp = false;
  /** The subscriptions of queue groups, by subject. */
  readonly #queueGroups = new Map<string, Subscription>();
  readonly #joiner = new MessageJoiner(MAX_AGE_MS, MAX_RESPONSE_BYTES);
  /** A write to the connection costs more than a message, so all messages of a turn of the event loop are one write. */
  readonly #endOfTurn = new EndOfTurn();
  readonly #refusals = new RateLimitedLog((fields, text) => this.broker.getLogger("bus").warn(fields, text));

  constructor(options: NatsTransporterOptions) {
    super(options);
    this.#options = options;
  }

  /** Whether the connection is up now. Moleculer's own `connected` stays true while the client reconnects. */
  get isUp(): boolean {
    return this.#isUp;
  }

  override init(...settings: Parameters<moleculer.Transporters.Base["init"]>): void {
    super.init(...settings);
    // Moleculer declares a Map, and uses only the members that an InFlightMap has.
    this.transit.pendingRequests = new InFlightMap() as unknown as Transit["pendingRequests"];
  }

  override async connect(): Promise<void> {
    try {
      this.#connection = await connect(connectionOptions(this.#options));
    } catch (error) {
      this.logger.error({ err: error }, "no connection to NATS");
      throw error;
    }
    this.#isUp = true;
    void this.#followStatus(this.#connection);
    void this.#followEnd(this.#connection);
    await this.onConnected();
  }

  override async disconnect(): Promise<void> {
    // Without a connection a flush never ends. It fails if the connection is lost meanwhile.
    if (this.#isUp) await this.#connection?.flush().catch(() => {});
    await this.loseConnection();
  }

  /** Closes the connection at once, as the end of the process does. */
  async loseConnection(): Promise<void> {
    await this.#connection?.close();
  }

  async #followStatus(connection: NatsConnection): Promise<void> {
    for await (const { type, data, permissionContext } of connection.status()) {
      if (type === Events.Disconnect) this.#isUp = false;
      if (type === Events.Reconnect) this.#isUp = true;
      // The server drops a refused message without a response, so this log line is the only sign.
      if (type === Events.Error) {
        this.logger.error({ refused: data, ...permissionContext }, "refused by the NATS server");
      }
    }
  }

  async #followEnd(connection: NatsConnection): Promise<void> {
    await connection.closed();
    this.#isUp = false;
    this.connected = false;
  }

  override async subscribe(command: string, nodeId?: string): Promise<void> {
    this.#subscribe(this.getTopicName(command, nodeId), command);
    if (command === "RES") this.#subscribeToNoResponders();
  }

  #subscribe(subject: string, command: string, queue?: string): Subscription | undefined {
    return this.#connection?.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        // For a refused subscription the client calls back with an error and no message.
        if (error === null) void this.receive(command, Buffer.from(message.data));
      },
    });
  }

  /**
   * The reply subject of a request is below the subject of the node's responses, the only one to which the node may
   * subscribe. There the NATS server reports that a request has no responders.
   */
  #subscribeToNoResponders(): void {
    const prefixLength = this.#noRespondersSubject("").length;
    this.#connection?.subscribe(this.#noRespondersSubject("*"), {
      callback: (error, { subject, headers }) => {
        if (error !== null || headers?.code !== NO_RESPONDERS) return;
        const requestId = subject.slice(prefixLength);
        const request = this.transit.pendingRequests.get(requestId);
        this.transit.removePendingRequest(requestId);
        request?.reject(new moleculer.Errors.ServiceNotAvailableError({ nodeID: this.nodeID }));
      },
    });
  }

  #noRespondersSubject(requestId: string): string {
    return `${this.prefix}.RES.${this.nodeID}.${requestId}`;
  }

  /** Subscribes to the actions and events of the node's services, and ends the subscriptions to removed ones. */
  override async makeBalancedSubscriptions(): Promise<void> {
    const { services } = this.broker.getLocalNodeInfo();
    const wanted = services.flatMap((service) => this.#queueGroupsOf(service as ServiceInfo));
    // Subscriptions are written to the connection at once, so that a node that then learns of the action reaches this one.
    for (const queueGroup of wanted) this.#join(queueGroup);
    const subjects = new Set(wanted.map(({ subject }) => subject));
    const removed = [...this.#queueGroups.keys()].filter((subject) => !subjects.has(subject));
    await Promise.all(removed.map((subject) => this.#leave(subject)));
    // If the connection is lost now, the client subscribes again on reconnecting.
    await this.#connection?.flush().catch(() => {});
  }

  override async subscribeBalancedRequest(action: string): Promise<void> {
    this.#join(this.#queueGroupOfAction(action));
  }

  override async subscribeBalancedEvent(event: string, group: string): Promise<void> {
    this.#join(this.#queueGroupOfEvent(event, group));
  }

  #queueGroupsOf({ name, actions = {}, events = {} }: ServiceInfo): QueueGroup[] {
    return [
      ...Object.keys(actions).map((action) => this.#queueGroupOfAction(action)),
      ...Object.entries(events).map(([event, { group = name }]) => this.#queueGroupOfEvent(event, group)),
    ];
  }

  #queueGroupOfAction(action: string): QueueGroup {
    return { subject: `${this.prefix}.REQB.${action}`, queue: action, command: "REQ" };
  }

  #queueGroupOfEvent(event: string, group: string): QueueGroup {
    // The wildcard `**` of Moleculer is `>` in NATS.
    const subject = `${this.prefix}.EVENTB.${group}.${event}`.replace(/\*\*.*$/, ">");
    return { subject, queue: group, command: "EVENT" };
  }

  #join({ subject, queue, command }: QueueGroup): void {
    if (this.#queueGroups.has(subject)) return;
    const subscription = this.#subscribe(subject, command, queue);
    if (subscription !== undefined) this.#queueGroups.set(subject, subscription);
  }

  /** Ends the subscription after the messages that the server has already sent to this node: no other node gets them. */
  async #leave(subject: string): Promise<void> {
    const subscription = this.#queueGroups.get(subject);
    this.#queueGroups.delete(subject);
    await subscription?.drain().catch(() => {});
  }

  override send(subject: string, data: Buffer, meta: SendMeta): Promise<void> {
    return this.#endOfTurn.add(() => this.#publish(subject, data, meta));
  }

  #publish(subject: string, data: Buffer, { packet, balanced = false }: SendMeta): void {
    const requestId = balanced && packet.type === "REQ" ? packet.payload.id : undefined;
    if (requestId !== undefined) {
      if (data.length > MAX_REQUEST_BYTES) throw new RequestTooLarge();
      this.#connection?.publish(subject, data, { reply: this.#noRespondersSubject(requestId) });
      return;
    }
    const isLarge = packet.type === "RES" && data.length > PART_BYTES;
    const parts = isLarge ? splitMessage(data, randomBytes(16), PART_BYTES) : [data];
    for (const part of parts) this.#connection?.publish(subject, part);
  }

  /**
   * Drops a packet that exceeds the limits or has another form before it is decoded: the decoder could take minutes,
   * or all memory.
   */
  override receive(command: string, data: Buffer): void | Promise<void> {
    const isPart = command === "RES" && isMessagePart(data);
    const whole = isPart ? this.#joiner.add(data, performance.now()) : data;
    if (whole === undefined) return;
    const problem = packetProblem(command, whole);
    if (problem === undefined) return super.receive(command, whole);
    busRefusals.inc({ packet: command, reason: problem });
    const fields = { packet: command, bytes: whole.length, problem };
    this.#refusals.note(`${command} ${problem}`, fields, "a packet from the bus was dropped");
  }
}

/** A service of the node, as its INFO describes it. */
interface ServiceInfo {
  readonly name: string;
  readonly actions?: Readonly<Record<string, unknown>>;
  readonly events?: Readonly<Record<string, { readonly group?: string }>>;
}

class RequestTooLarge extends moleculer.Errors.MoleculerError {
  constructor() {
    super("The request is too large for the bus", 500, "REQUEST_TOO_LARGE");
  }
}

export function connectionOptions({ url, name }: NatsTransporterOptions): ConnectionOptions {
  const urls = url.split(",").map((each) => new URL(each));
  const user = urls.find(({ username }) => username !== "")?.username;
  const pass = urls.find(({ password }) => password !== "")?.password;
  return {
    servers: urls.map(({ host }) => host),
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
    name,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_PAUSE_MS,
  };
}

/** The transporter of a broker; undefined for a broker without a bus. */
export function natsTransporterOf({ transit }: ServiceBroker): NatsTransporter | undefined {
  const transporter = transit?.tx;
  return transporter instanceof NatsTransporter ? transporter : undefined;
}

/** Whether calls can reach other processes; true for a broker without a bus. */
export function isBusUp(broker: ServiceBroker): boolean {
  return natsTransporterOf(broker)?.isUp !== false;
}
