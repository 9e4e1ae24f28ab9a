import { randomBytes } from "node:crypto";
import moleculer, { type ServiceBroker } from "moleculer";
import { EndOfTurn } from "../async/end-of-turn.ts";
import { RateLimitedLog } from "../observability/rate-limited-log.ts";
import { isMessagePart, MessageJoiner, splitMessage } from "./message-parts.ts";
import { busRefusals } from "../observability/metrics.ts";
import { MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, packetProblem, PART_BYTES } from "./packet-limits.ts";

interface Subscription {
  unsubscribe(): void;
}

interface SubscriptionOptions {
  readonly queue?: string;
  readonly callback: (error: Error | null, message: Message) => void;
}

interface Message {
  readonly data: Uint8Array;
  readonly subject: string;
  readonly headers?: { readonly code: number };
}

interface ServiceInfo {
  readonly name: string;
  readonly actions?: Readonly<Record<string, unknown>>;
  readonly events?: Readonly<Record<string, { readonly group?: string }>>;
}

/** Members of the base class that its type declarations lack. */
interface NatsInternals {
  subscriptions: Subscription[];
  readonly prefix: string;
  readonly client: {
    flush(): Promise<void>;
    close(): Promise<void>;
    publish(topic: string, data: Buffer | string, options?: { readonly reply: string }): void;
    status(): AsyncIterable<{ readonly type: string; readonly data: unknown; readonly permissionContext?: object }>;
    subscribe(topic: string, options: SubscriptionOptions): Subscription;
  } | null;
  readonly logger: { error(...what: unknown[]): void };
  readonly broker: Pick<ServiceBroker, "getLogger"> & {
    getLocalNodeInfo(): { readonly services: readonly ServiceInfo[] };
  };
  readonly nodeID: string;
  readonly transit: { readonly pendingRequests: Map<string, { reject(error: Error): void }> };
  subscribeBalancedRequest(action: string): Promise<void>;
  subscribeBalancedEvent(event: string, group: string): Promise<void>;
}

/** A caller has timed out by then. */
const MAX_AGE_MS = 10_000;
/** The NATS status "no responders": a request was published to a subject without a subscriber. */
const NO_RESPONDERS = 503;

/**
 * Moleculer's NATS transporter, with three changes.
 *
 * With `disableBalancer` the base class drops every queue-group subscription and subscribes again each time the
 * services of the process change, such as a second after its start. A request that arrives in between has no
 * subscriber and waits for its time-out. This class subscribes only to new subjects, and unsubscribes only from
 * removed ones.
 *
 * A request without a subscriber, as in the moment in which a server of the NATS cluster is lost, fails at once
 * instead of waiting for its time-out. No replica has it, so it can be sent again
 * (mixins/bus/lost-call-retry.middleware.ts).
 *
 * An answer may hold ten thousand events (D17), more than a NATS server accepts in one message. A large answer is
 * sent in parts. Only answers are, because an answer goes to one node; the parts of a request could reach several.
 */
export class NatsTransporter extends moleculer.Transporters.NATS {
  readonly #balanced = new Map<string, Subscription>();
  readonly #joiner = new MessageJoiner(MAX_AGE_MS, MAX_RESPONSE_BYTES);
  /** A write to the connection costs more than a message: all messages of a turn are one write. */
  readonly #endOfTurn = new EndOfTurn();
  readonly #refusals = new RateLimitedLog((fields, text) =>
    (this as unknown as NatsInternals).broker.getLogger("bus").warn(fields, text),
  );
  #isUp = false;

  /** Whether the connection is up now. Moleculer's own flag stays true while the client reconnects. */
  get isUp(): boolean {
    return this.#isUp;
  }

  override async connect(): Promise<void> {
    await super.connect();
    this.#isUp = true;
    void this.#followStatus();
  }

  /**
   * The base class subscribes here. For a refused subscription the client calls back with an error and no message,
   * which the base class would read.
   */
  override onConnected(wasReconnect?: boolean): Promise<void> {
    const { client } = this as unknown as NatsInternals;
    const subscribe = client?.subscribe.bind(client);
    if (client !== null && subscribe !== undefined) {
      client.subscribe = (topic, { callback, ...options }) =>
        subscribe(topic, { ...options, callback: (error, message) => void (error ?? callback(null, message)) });
    }
    return super.onConnected(wasReconnect);
  }

  override async disconnect(): Promise<void> {
    // Without a connection the base class would wait for its flush for ever.
    if (this.#isUp) await super.disconnect();
    else await (this as unknown as NatsInternals).client?.close();
  }

  async #followStatus(): Promise<void> {
    const { client, logger } = this as unknown as NatsInternals;
    for await (const { type, data, permissionContext } of client?.status() ?? []) {
      if (type === "disconnect") this.#isUp = false;
      if (type === "reconnect") this.#isUp = true;
      // The server drops a refused message without an answer, so this log line is the only sign.
      if (type === "error") logger.error({ refused: data, ...permissionContext }, "refused by the NATS server");
    }
  }

  override async subscribe(command: string, nodeId?: string): Promise<void> {
    await super.subscribe(command, nodeId);
    const { client, transit, nodeID } = this as unknown as NatsInternals;
    if (command !== "RES") return;
    const prefixLength = this.#noRespondersSubject("").length;
    client?.subscribe(this.#noRespondersSubject("*"), {
      callback: (_, { subject, headers }) => {
        if (headers?.code !== NO_RESPONDERS) return;
        const call = transit.pendingRequests.get(subject.slice(prefixLength));
        call?.reject(new moleculer.Errors.ServiceNotAvailableError({ nodeID }));
      },
    });
  }

  /**
   * The subject on which the server reports that a request has no responders. It is below the subject of the node's
   * own answers, the only ones that the node may subscribe to.
   */
  #noRespondersSubject(requestId: string): string {
    const { prefix, nodeID } = this as unknown as NatsInternals;
    return `${prefix}.RES.${nodeID}.${requestId}`;
  }

  override send(topic: string, data: Buffer, meta?: { packet?: { payload?: { id?: string } } }): Promise<void> {
    return this.#endOfTurn.add(() => this.#publish(topic, data, meta));
  }

  #publish(topic: string, data: Buffer, meta?: { packet?: { payload?: { id?: string } } }): void {
    const base = this as unknown as NatsInternals;
    const requestId = topic.startsWith(`${base.prefix}.REQB.`) ? meta?.packet?.payload?.id : undefined;
    if (requestId !== undefined && data.length > MAX_REQUEST_BYTES) {
      throw new moleculer.Errors.MoleculerError("The request is too large for the bus", 500, "REQUEST_TOO_LARGE");
    }
    if (requestId !== undefined)
      return base.client?.publish(topic, data, { reply: this.#noRespondersSubject(requestId) });
    const parts =
      data.length > PART_BYTES && topic.startsWith(`${base.prefix}.RES.`)
        ? splitMessage(data, randomBytes(16), PART_BYTES)
        : [data];
    for (const part of parts) base.client?.publish(topic, part);
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

  override async makeBalancedSubscriptions(): Promise<void> {
    const base = this as unknown as NatsInternals;
    const wanted = new Map<string, () => Promise<void>>();
    for (const { name, actions = {}, events = {} } of base.broker.getLocalNodeInfo().services) {
      for (const action of Object.keys(actions)) {
        wanted.set(`action ${action}`, () => base.subscribeBalancedRequest(action));
      }
      for (const [event, { group = name }] of Object.entries(events)) {
        wanted.set(`event ${group} ${event}`, () => base.subscribeBalancedEvent(event, group));
      }
    }
    for (const [key, subscribe] of wanted) {
      if (this.#balanced.has(key)) continue;
      // The subscription is written to the connection at once: a node that learns of the action later reaches it.
      void subscribe();
      const made = base.subscriptions.at(-1);
      if (made !== undefined) this.#balanced.set(key, made);
    }
    for (const [key, subscription] of this.#balanced) {
      if (wanted.has(key)) continue;
      subscription.unsubscribe();
      this.#balanced.delete(key);
    }
    base.subscriptions = [...this.#balanced.values()];
    // A connection that is lost now subscribes again when it is back.
    await base.client?.flush().catch(() => {});
  }
}

/** The transporter of a broker; undefined for a broker without a bus. */
export function natsTransporterOf({ transit }: ServiceBroker): NatsTransporter | undefined {
  const transporter: unknown = transit?.tx;
  return transporter instanceof NatsTransporter ? transporter : undefined;
}

/** Whether calls can reach other processes; true for a broker without a bus. */
export function isBusUp(broker: ServiceBroker): boolean {
  return natsTransporterOf(broker)?.isUp !== false;
}
