import moleculer from "moleculer";

interface Subscription {
  unsubscribe(): void;
}

interface ServiceInfo {
  readonly name: string;
  readonly actions?: Readonly<Record<string, unknown>>;
  readonly events?: Readonly<Record<string, { readonly group?: string }>>;
}

/** What the base class has and its type declarations leave out. */
interface NatsInternals {
  subscriptions: Subscription[];
  readonly client: { flush(): Promise<void> } | null;
  readonly broker: { getLocalNodeInfo(): { readonly services: readonly ServiceInfo[] } };
  subscribeBalancedRequest(action: string): Promise<void>;
  subscribeBalancedEvent(event: string, group: string): Promise<void>;
}

/**
 * Moleculer's NATS transporter, without the gap in its subscriptions.
 *
 * With `disableBalancer` the base class drops every queue-group subscription and makes them all again each time its
 * services change, a second after a start among others. A request that arrives in between reaches nobody and waits
 * for its time-out. Here only what is new is subscribed, and only what is gone is dropped.
 */
export class SteadyNatsTransporter extends moleculer.Transporters.NATS {
  readonly #held = new Map<string, Subscription>();

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
    await base.client?.flush();
  }
}
