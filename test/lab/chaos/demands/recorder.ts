import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "mongoose";
import type { ServiceBroker } from "moleculer";
import {
  createEvent,
  type CreateEventParams,
  removeEvent,
  updateEvent,
  type UpdateEventParams,
} from "../../../../services/contracts/calendar-events.contract.ts";
import type { ActionContract } from "../../../../services/contracts/contract.ts";
import type { EventId, GuildId } from "../../../../services/contracts/ids.ts";
import type { Acknowledgement, EventState, RecordedEvent } from "./records.ts";

interface StoredEvent {
  readonly _id: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly name?: string;
  readonly scheduledAt: Date;
  readonly endSetAt?: Date;
  readonly createdAt?: Date;
}

/** A result, and the time of its write. */
interface Written<Result> extends Acknowledgement {
  readonly result: Result;
}

const RETRY_MS = 100;
/** The errors of Moleculer while an owner is down. */
const ABSENT = new Set(["ServiceNotFoundError", "ServiceNotAvailableError"]);
const GONE = new Set(["EVENT_NOT_FOUND", "OCCURRENCE_NOT_FOUND"]);

/** Makes writes, each until it is acknowledged, and reads the stamps that the database has given the events. */
export class Recorder {
  readonly #broker: ServiceBroker;
  readonly #database: Connection;

  constructor(broker: ServiceBroker, database: Connection) {
    this.#broker = broker;
    this.#database = database;
  }

  /** Repeats a write after a failure that may pass; it may be made twice. */
  async write<Params, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
  ): Promise<Written<Result | undefined>> {
    const sentAt = Date.now();
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const result = await this.#broker.call<Result, never>(contract.name, params as never);
        return { result, sentAt, ackedAt: Date.now() };
      } catch (error) {
        const { code = 500, type = "", name = "" } = error as { code?: number; type?: string; name?: string };
        if (isRepeated && GONE.has(type)) return { result: undefined, sentAt, ackedAt: Date.now() };
        if (code < 500 && !ABSENT.has(name)) {
          const { data } = error as { data?: unknown };
          throw new Error(`${contract.name}: ${String(error)} ${JSON.stringify(data)}`, { cause: error });
        }
        await pause(RETRY_MS);
      }
    }
  }

  /** Creates an event. Its name is unique, so that a create without a response can be found. */
  async create(params: CreateEventParams & { readonly name: string }): Promise<RecordedEvent> {
    const sentAt = Date.now();
    for (;;) {
      const found = await this.#events().findOne({ guildId: params.guildId, name: params.name });
      if (found !== null) {
        const state = stateOf(found, params.recurs === true);
        return {
          eventId: found._id,
          occurrenceId: found._id,
          versions: [{ sentAt, ackedAt: Date.now(), state }],
          pauses: [],
        };
      }
      // A create without a response may be stored until its timeout is over.
      await this.#broker.call(createEvent.name, params as never).catch(() => pause(UNKNOWN_MS));
    }
  }

  async update(
    event: RecordedEvent,
    guildId: GuildId,
    changes: Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId">,
  ): Promise<Acknowledgement> {
    const eventId = event.eventId as EventId;
    return this.write(updateEvent, { guildId, calendarNumber: 1, eventId, ...changes });
  }

  /** Changes an event, and records its state, or that its first occurrence is cancelled. */
  async change(
    event: RecordedEvent,
    guildId: GuildId,
    changes: Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId">,
    isCancelled = false,
  ): Promise<void> {
    const { sentAt, ackedAt } = await this.update(event, guildId, changes);
    const row = await this.#events().findOne({ _id: event.eventId });
    if (row === null) throw new Error(`no event ${event.eventId} is stored`);
    const state = isCancelled ? null : stateOf(row, changes.recurrence !== undefined);
    event.versions.push({ sentAt, ackedAt, state });
  }

  async remove(event: RecordedEvent, guildId: GuildId): Promise<void> {
    const eventId = event.eventId as EventId;
    const { sentAt, ackedAt } = await this.write(removeEvent, { guildId, calendarNumber: 1, eventId });
    event.versions.push({ sentAt, ackedAt, state: null });
  }

  #events() {
    return this.#database.collection<StoredEvent & { readonly guildId: string }>("calendar_events");
  }
}

/** Time after which a create without a response is not stored any more. */
const UNKNOWN_MS = 7_000;

/** A change within this time after the creation belongs to it (D69). */
const PART_OF_CREATION_MS = 60_000;

function stateOf(
  { startsAt, endsAt, name = "", scheduledAt, endSetAt, createdAt }: StoredEvent,
  recurs: boolean,
): EventState {
  const changedAt = Math.max(scheduledAt.getTime(), endSetAt?.getTime() ?? 0);
  const isChanged = createdAt !== undefined && changedAt >= createdAt.getTime() + PART_OF_CREATION_MS;
  return {
    name,
    startsAt,
    endsAt,
    recurs,
    scheduledAt: scheduledAt.getTime(),
    ...(endSetAt && { endSetAt: endSetAt.getTime() }),
    ...(createdAt && { createdAt: createdAt.getTime() }),
    ...(isChanged && !recurs && { rescheduledAt: changedAt }),
  };
}
