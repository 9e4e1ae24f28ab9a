import { setTimeout as pause } from "node:timers/promises";
import type { PostOffset } from "../../../../services/contracts/announcement-offsets.ts";
import { createAnnouncement, updateAnnouncement } from "../../../../services/contracts/announcements.contract.ts";
import { updateCalendar } from "../../../../services/contracts/calendars.contract.ts";
import { updateGuildSettings } from "../../../../services/contracts/guild-settings.contract.ts";
import type { AnnouncementId, GuildId, OccurrenceId } from "../../../../services/contracts/ids.ts";
import { occurrenceId } from "../../../../services/calendar-events/domain/event/occurrence-id.ts";
import type { ChatServer } from "../../../harness/chat-server.ts";
import type { PostedMessage } from "../../../harness/chat-server/channels.ts";
import type { Recorder } from "./recorder.ts";
import type {
  EventState,
  EventVersion,
  GuildRecords,
  PauseWrite,
  RecordedAnnouncement,
  RecordedEvent,
} from "./records.ts";

/** Each guild pauses one of these: itself, its calendar, three of its events, or two of its announcements. */
const PAUSED = ["guild", "calendar", "events", "announcements"] as const;

/** The time in which a guild is written. */
export interface Schedule {
  readonly from: number;
  /** Length by which the instants of `written-guild.ts` are multiplied; with 1 the last is 150 s after `from`. */
  readonly scale: number;
}

/** A guild with its records, and the messages that a person has deleted in it. */
export interface WrittenGuild {
  readonly records: GuildRecords;
  readonly deleted: readonly PostedMessage[];
  /** Makes the changes of the guild at their instants. */
  write(): Promise<void>;
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const NEAR_START: readonly PostOffset[] = [-1, 0, 1].map((minutes) => ({ anchor: "START", minutes }));
const AT_START: readonly PostOffset[] = [{ anchor: "START", minutes: 0 }];
/** Around the end of a short event, in the first minutes of one of an hour, and after the creation. */
const NEAR_OTHERS: readonly PostOffset[] = [
  ...[-60, -59, -1, 0, 1].map((minutes) => ({ anchor: "END", minutes }) as const),
  ...[0, 1].map((minutes) => ({ anchor: "CREATED", minutes }) as const),
];
const NEAR_CHANGE: readonly PostOffset[] = [0, 1].map((minutes) => ({ anchor: "CHANGED", minutes }));
/** The seconds at which the events start, by their names. */
const STARTS = {
  still: 40,
  short: 55,
  lengthened: 35,
  "moved before its start": 70,
  "moved after its post": 50,
  "deleted late": 60,
  "deleted early": 100,
  renamed: 45,
  // A change counts from a minute after the creation, and each a minute or more after the last one (D69).
  "moved twice": 120,
  "with deleted messages": 30,
  series: 65,
  paused: 80,
  "created and moved": 140,
  "created soon": 90,
  "created late": 110,
} as const;
type EventName = keyof typeof STARTS;
/** The lengths of the events that end during the run; the others take an hour. */
const LENGTHS: Partial<Record<EventName, number>> = { short: 30 * SECOND, lengthened: MINUTE };
/** The seconds at which the other events are created, in place of before the first post. */
const CREATED_AT: Partial<Record<EventName, number>> = {
  "created and moved": 30,
  "created soon": 20,
  "created late": 70,
};

/** Creates a guild with its announcements, and the events that exist from the beginning. */
export async function newWrittenGuild(
  recorder: Recorder,
  chat: ChatServer,
  number: number,
  { from, scale }: Schedule,
): Promise<WrittenGuild> {
  const guildId = String(1_000 + number) as GuildId;
  const paused = PAUSED[number % PAUSED.length] as (typeof PAUSED)[number];
  const records: GuildRecords = {
    guildId,
    announcements: [],
    events: [],
    pauses: { guild: [], calendar: [] },
    removed: new Set(),
  };
  const deleted: PostedMessage[] = [];
  const at = (seconds: number) => from + seconds * SECOND * scale;
  const series = { recurs: true, recurrence: { frequency: "DAILY" } } as const;
  const events = new Map<EventName, RecordedEvent>();
  const eventNamed = (name: EventName) => events.get(name) as RecordedEvent;

  async function announce(
    rule: object,
    about: Pick<RecordedAnnouncement, "offsets" | "hasOffsets" | "isEdited" | "digest" | "cleanUp" | "eventId">,
  ): Promise<RecordedAnnouncement> {
    const channel = String(number * 100 + records.announcements.length + 1);
    chat.addChannel(channel, { guild: guildId });
    const fields = {
      guildId,
      channel,
      type: "UNIVERSAL",
      info: "",
      ...(about.isEdited && { onChange: "EDIT" }),
      ...rule,
    };
    const { result, ackedAt } = await recorder.write(createAnnouncement, fields as never);
    const announcementId = result?.id as string;
    const announcement = { announcementId, channel, ackedAt, info: "", pauses: [], ...about };
    records.announcements.push(announcement);
    return announcement;
  }

  function digest(dueAt: number, isEmpty: boolean) {
    const time = new Date(dueAt).toISOString().slice(11, 16);
    const rule = { calendarNumber: 1, frequency: "DAILY", time, ...(isEmpty && { color: "RED" }) };
    const about = { offsets: [], hasOffsets: false, isEdited: false, digest: { dueAt, isEmpty } };
    return announce({ type: "DIGEST", digest: rule }, about);
  }

  async function create(name: EventName): Promise<void> {
    const startsAt = Math.round(at(STARTS[name]));
    const endsAt = startsAt + (LENGTHS[name] ?? HOUR);
    const rule = name === "series" ? series : {};
    const fields = { guildId, calendarNumber: 1, name: `${name} of ${guildId}`, startsAt, endsAt, ...rule };
    const event = await recorder.create(fields);
    const id: OccurrenceId | string =
      name === "series" ? occurrenceId(event.eventId as never, startsAt) : event.eventId;
    const recorded = { ...event, occurrenceId: id };
    events.set(name, recorded);
    records.events.push(recorded);
  }

  const near = await announce({ offsets: NEAR_START }, { offsets: NEAR_START, hasOffsets: true, isEdited: true });
  await announce({ offsets: NEAR_OTHERS }, { offsets: NEAR_OTHERS, hasOffsets: true, isEdited: false });
  const lead = await announce(
    { hours: 0, minutes: 0 },
    { offsets: [{ anchor: "START", minutes: 0 }], hasOffsets: false, isEdited: true },
  );
  await announce(
    { offsets: AT_START, cleanUp: 0 },
    { offsets: AT_START, hasOffsets: true, isEdited: true, cleanUp: 0 },
  );
  const firstDigest = Math.ceil((from + 5 * SECOND) / MINUTE) * MINUTE;
  for (let dueAt = firstDigest; dueAt < at(145); dueAt += MINUTE) await digest(dueAt, false);
  await digest(firstDigest, true);
  for (const name of Object.keys(STARTS) as EventName[]) if (!(name in CREATED_AT)) await create(name);
  const { eventId } = eventNamed("moved twice");
  await announce(
    { type: "SPECIFIC", eventId, offsets: NEAR_CHANGE },
    { offsets: NEAR_CHANGE, hasOffsets: true, isEdited: false, eventId },
  );

  async function move(name: EventName, ms: number): Promise<void> {
    const { startsAt, endsAt } = (eventNamed(name).versions.at(-1) as EventVersion).state as EventState;
    await recorder.change(eventNamed(name), guildId, { startsAt: startsAt + ms, endsAt: endsAt + ms });
  }

  async function lengthen(name: EventName, ms: number): Promise<void> {
    const { endsAt } = (eventNamed(name).versions.at(-1) as EventVersion).state as EventState;
    await recorder.change(eventNamed(name), guildId, { endsAt: endsAt + ms });
  }

  function rename(name: EventName, to: number): Promise<void> {
    return recorder.change(eventNamed(name), guildId, { name: `${name} of ${guildId}, ${to}` });
  }

  async function setPause(pausedUntil: number | null): Promise<void> {
    const add = async (writes: PauseWrite[], write: Promise<{ sentAt: number; ackedAt: number }>) => {
      const { sentAt, ackedAt } = await write;
      writes.push({ sentAt, ackedAt, until: pausedUntil });
    };
    if (paused === "guild") {
      await add(records.pauses.guild, recorder.write(updateGuildSettings, { guildId, pausedUntil }));
    } else if (paused === "calendar") {
      await add(records.pauses.calendar, recorder.write(updateCalendar, { guildId, calendarNumber: 1, pausedUntil }));
    } else if (paused === "events") {
      for (const event of (["still", "renamed", "paused"] as const).map(eventNamed)) {
        await add(event.pauses, recorder.update(event, guildId, { pausedUntil }));
      }
    } else {
      for (const { announcementId, pauses } of [near, lead]) {
        const id = announcementId as AnnouncementId;
        await add(pauses, recorder.write(updateAnnouncement, { guildId, id, pausedUntil }));
      }
    }
  }

  /** A person deletes the messages about an event in the channels of the announcements that edit theirs. */
  function deleteMessages(name: EventName): void {
    const title = `${name} of ${guildId}`;
    const channels = new Set([near.channel, lead.channel]);
    const found = chat
      .messages()
      .filter(({ channel, embeds }) => channels.has(channel) && embeds[0]?.["title"] === title);
    for (const message of found) {
      deleted.push(message);
      records.removed.add(message.id);
      chat.remove(message.id);
    }
  }

  async function setInfo(announcement: RecordedAnnouncement, info: string): Promise<void> {
    const id = announcement.announcementId as AnnouncementId;
    await recorder.write(updateAnnouncement, { guildId, id, info });
    announcement.info = info;
  }

  const exDates = [Math.round(at(STARTS.series))];
  const changes: readonly (readonly [number, () => Promise<void>])[] = [
    ...Object.entries(CREATED_AT).map(([name, seconds]) => [seconds, () => create(name as EventName)] as const),
    [25, () => recorder.remove(eventNamed("deleted early"), guildId)],
    [30, () => setPause(Date.now() + HOUR)],
    [42, () => Promise.resolve(deleteMessages("with deleted messages"))],
    [45, () => move("moved before its start", MINUTE + SECOND)],
    [50, () => move("created and moved", MINUTE + SECOND)],
    ...[68, 135].map((seconds) => [seconds, () => move("moved twice", MINUTE + SECOND)] as const),
    [86, () => setPause(null)],
    [60, () => lengthen("lengthened", MINUTE + SECOND)],
    [65, () => move("moved after its post", 100 * SECOND)],
    [
      75,
      () =>
        recorder.change(
          eventNamed("series"),
          guildId,
          { ...series, recurrence: { frequency: "DAILY", exDates } },
          true,
        ),
    ],
    [80, () => recorder.remove(eventNamed("deleted late"), guildId)],
    [88, () => setInfo(near, "Bring potions")],
    [95, () => recorder.change(eventNamed("series"), guildId, series)],
    [92, () => setPause(Math.round(at(128)))],
    [110, () => setInfo(lead, "Bring arrows")],
    ...[50, 57, 64, 71, 78, 85, 92, 120].flatMap((seconds) => [
      [seconds, () => rename("renamed", seconds)] as const,
      [seconds, () => rename("with deleted messages", seconds)] as const,
    ]),
  ];

  return {
    records,
    deleted,
    async write() {
      for (const [seconds, change] of changes.toSorted(([one], [other]) => one - other)) {
        await pause(Math.max(0, at(seconds) - Date.now()));
        await change();
      }
    },
  };
}
