import { createAnnouncement, type CreateAnnouncementParams } from "../../services/contracts/announcements.contract.ts";
import {
  createEvent,
  type CreateEventParams,
  removeEvent,
  updateEvent,
  type UpdateEventParams,
} from "../../services/contracts/calendar-events.contract.ts";
import {
  listPostHistory,
  listUpcomingPosts,
  type SettledPost,
  type UpcomingPost,
} from "../../services/contracts/dispatch.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import type { Revised } from "../../services/contracts/revision.ts";
import type { RecordingSink } from "../fixtures/recording-sink.ts";
import type { TestServices } from "./test-services.ts";
import { until } from "./until.ts";

const HOUR = 3_600_000;
let guilds = 100;

/** A guild of its own on running services, with calls for this guild. */
export class TestGuild {
  readonly id = String((guilds += 1)) as GuildId;
  readonly services: TestServices;
  readonly sink: RecordingSink;

  constructor(services: TestServices, sink: RecordingSink) {
    this.services = services;
    this.sink = sink;
  }

  async event(startsIn: number, more: Partial<CreateEventParams> = {}): Promise<string> {
    const startsAt = Date.now() + startsIn;
    const fields = { guildId: this.id, calendarNumber: 1, startsAt, endsAt: startsAt + HOUR, name: "raid", ...more };
    return (await this.services.call(createEvent, fields)).eventId;
  }

  change(eventId: string, changes: Partial<UpdateEventParams>): Promise<Revised> {
    return this.services.call(updateEvent, { guildId: this.id, calendarNumber: 1, eventId, ...changes } as never);
  }

  remove(eventId: string): Promise<void> {
    return this.services.call(removeEvent, { guildId: this.id, calendarNumber: 1, eventId: eventId as never });
  }

  async announcement(minutes: number, more: Partial<CreateAnnouncementParams> = {}): Promise<string> {
    const fields = {
      guildId: this.id,
      channel: "77",
      type: "UNIVERSAL",
      hours: 0,
      minutes,
      info: "",
      ...more,
    } as const;
    return (await this.services.call(createAnnouncement, fields)).id;
  }

  async upcoming(): Promise<readonly UpcomingPost[]> {
    return (await this.services.call(listUpcomingPosts, { guildId: this.id, amount: -1 })).posts;
  }

  history(): Promise<SettledPost[]> {
    return this.services.call(listPostHistory, { guildId: this.id, amount: -1 });
  }

  received(): RecordingSink["received"] {
    return this.sink.received.filter(({ guildId }) => guildId === this.id);
  }

  async plannedFor(...starts: number[]): Promise<void> {
    const planned = async () => (await this.upcoming()).map(({ startsAt }) => startsAt).join();
    await until(async () => (await planned()) === starts.join(), `posts are planned for ${starts.join()}`);
  }

  async settled(count: number): Promise<SettledPost[]> {
    await until(async () => (await this.history()).length >= count, `${count} posts are settled`);
    return this.history();
  }
}
