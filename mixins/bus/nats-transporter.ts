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

/** What the base class has and its type declarations leave out. */
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

/** Callers have given up by then. */
const MAX_AGE_MS = 10_000;
/** The status with which a server says that nobody has subscribed to what a request was published to. */
const NO_RESPONDERS = 503;

/**
 * Moleculer's NATS transporter, without the gap in its subscriptions, and without a limit to the size of an answer.
 *
 * With `disableBalancer` the base class drops every queue-group subscription and makes them all again each time its
 * services change, a second after a start among others. A request that arrives in between reaches nobody and waits
 * for its time-out. Here only what is new is subscribed, and only what is gone is dropped.
 *
 * A request that no replica has subscribed to, as in the moment in which a server of the bus is lost, fails at once
 * instead of waiting for its time-out: nobody has it, so it may be offered again (mixins/bus/lost-call-retry.middleware.ts).
 *
 * An answer may hold ten thousand events (D17), which is more than a NATS server passes on: a large one travels in
 * parts. Only answers do, because they go to one node; the parts of a request could reach several.
 */
export class NatsTransporter extends moleculer.Transporters.NATS {
  readonly #held = new Map<string, Subscription>();
  readonly #joiner = new MessageJoiner(MAX_AGE_MS, MAX_RESPONSE_BYTES);
  /** A write to the connection costs more than a message: those of a turn are one. */
  readonly #turn = new EndOfTurn();
  readonly #refusals = new RateLimitedLog((fields, text) =>
    (this as unknown as NatsInternals).broker.getLogger("bus").warn(fields, text),
  );
  #isUp = false;

  /** Whether the connection stands now. Moleculer's own flag stays true while the client reconnects. */
  get isUp(): boolean {
    return this.#isUp;
  }

  override async connect(): Promise<void> {
    await super.connect();
    this.#isUp = true;
    void this.#followStatus();
  }

  /** The base class makes its subscriptions now. One that is refused is told with an error and no message, which it would read. */
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
    // Without a connection there is nothing to flush to: the base class would wait for one for ever.
    if (this.#isUp) await super.disconnect();
    else await (this as unknown as NatsInternals).client?.close();
  }

  async #followStatus(): Promise<void> {
    const { client, logger } = this as unknown as NatsInternals;
    for await (const { type, data, permissionContext } of client?.status() ?? []) {
      if (type === "disconnect") this.#isUp = false;
      if (type === "reconnect") this.#isUp = true;
      // What the server did not let through is lost without an answer: nobody would know.
      if (type === "error") logger.error({ refused: data, ...permissionContext }, "refused by the NATS server");
    }
  }

  override async subscribe(command: string, nodeId?: string): Promise<void> {
    await super.subscribe(command, nodeId);
    const { client, transit, nodeID } = this as unknown as NatsInternals;
    if (command !== "RES") return;
    const before = this.#saidOf("").length;
    client?.subscribe(this.#saidOf("*"), {
      callback: (_, { subject, headers }) => {
        if (headers?.code !== NO_RESPONDERS) return;
        const call = transit.pendingRequests.get(subject.slice(before));
        call?.reject(new moleculer.Errors.ServiceNotAvailableError({ nodeID }));
      },
    });
  }

  /** Where the server says that nobody takes a request. Below the node's own answers: it may hear no others. */
  #saidOf(requestId: string): string {
    const { prefix, nodeID } = this as unknown as NatsInternals;
    return `${prefix}.RES.${nodeID}.${requestId}`;
  }

  override send(topic: string, data: Buffer, meta?: { packet?: { payload?: { id?: string } } }): Promise<void> {
    return this.#turn.add(() => this.#publish(topic, data, meta));
  }

  #publish(topic: string, data: Buffer, meta?: { packet?: { payload?: { id?: string } } }): void {
    const base = this as unknown as NatsInternals;
    const requestId = topic.startsWith(`${base.prefix}.REQB.`) ? meta?.packet?.payload?.id : undefined;
    if (requestId !== undefined && data.length > MAX_REQUEST_BYTES) {
      throw new moleculer.Errors.MoleculerError("The request is too large for the bus", 500, "REQUEST_TOO_LARGE");
    }
    if (requestId !== undefined) return base.client?.publish(topic, data, { reply: this.#saidOf(requestId) });
    const parts =
      data.length > PART_BYTES && topic.startsWith(`${base.prefix}.RES.`)
        ? splitMessage(data, randomBytes(16), PART_BYTES)
        : [data];
    for (const part of parts) base.client?.publish(topic, part);
  }

  /** Decodes nothing that is larger or of another form than our packets: the decoder would take minutes, or all memory. */
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
      if (this.#held.has(key)) continue;
      // Written to the connection at once: whoever is told of the action after this reaches it.
      void subscribe();
      const made = base.subscriptions.at(-1);
      if (made !== undefined) this.#held.set(key, made);
    }
    for (const [key, subscription] of this.#held) {
      if (wanted.has(key)) continue;
      subscription.unsubscribe();
      this.#held.delete(key);
    }
    base.subscriptions = [...this.#held.values()];
    // A connection that is lost now makes its subscriptions again by itself when it is back.
    await base.client?.flush().catch(() => {});
  }
}

/** The bus of a broker, where it has one. */
export function natsTransporterOf({ transit }: ServiceBroker): NatsTransporter | undefined {
  const transporter: unknown = transit?.tx;
  return transporter instanceof NatsTransporter ? transporter : undefined;
}

/** Whether calls can reach other processes: always, where there is no bus. */
export function isBusUp(broker: ServiceBroker): boolean {
  return natsTransporterOf(broker)?.isUp !== false;
}
