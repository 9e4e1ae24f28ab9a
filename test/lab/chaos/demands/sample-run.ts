import type { SettledPost } from "../../../../services/contracts/dispatch.contract.ts";
import type { PostedMessage } from "../../../harness/chat-server/channels.ts";
import { type DemandedPost, demandedPosts } from "./demanded-posts.ts";
import type { EventState, GuildRecords, RecordedAnnouncement, RecordedEvent } from "./records.ts";

/*
 * A run for the tests of the verdict, without processes.
 */

export const AT = 1_900_000_000_000;
export const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
export const END_AT = AT + 10 * MINUTE;

type Editable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
export type Row = Editable<SettledPost>;
export type Message = Editable<PostedMessage>;

/** A run that may be judged: what was acknowledged, and what was seen. */
export interface Run {
  readonly guild: GuildRecords;
  readonly rows: Row[];
  readonly messages: Message[];
  readonly editsWhenGone: Map<string, number>;
  /** The row of an event, or of the digest in a channel, by an offset such as "START -1". */
  readonly row: (name: string, offset: string) => Row;
  readonly message: (name: string, offset: string) => Message;
}

export function announcement(channel: string, more: Partial<RecordedAnnouncement>): RecordedAnnouncement {
  const about = { offsets: [], hasOffsets: true, isEdited: false, info: "", pauses: [] };
  return { announcementId: `a${channel}`, channel, ackedAt: AT - SECOND, ...about, ...more };
}

export function event(name: string, startsInMinutes: number, lengthMs: number): RecordedEvent {
  const startsAt = AT + startsInMinutes * MINUTE;
  const stamps = { recurs: false, scheduledAt: AT, createdAt: AT };
  const state = { name, startsAt, endsAt: startsAt + lengthMs, ...stamps };
  return {
    eventId: name,
    occurrenceId: name,
    versions: [{ sentAt: AT - 5, ackedAt: AT + 5, state }],
    pauses: [],
  };
}

export const EDITED = announcement("1", {
  offsets: [
    ...[-1, 0, 1].map((minutes) => ({ anchor: "START", minutes }) as const),
    ...[-1, 1].map((minutes) => ({ anchor: "END", minutes }) as const),
    ...[0, 1].map((minutes) => ({ anchor: "CREATED", minutes }) as const),
  ],
  isEdited: true,
  info: "Bring potions",
});
const KEPT = announcement("2", { offsets: [{ anchor: "START", minutes: 0 }], hasOffsets: false });
const CHANGED = announcement("6", {
  offsets: [0, 1].map((minutes) => ({ anchor: "CHANGED", minutes }) as const),
  eventId: "moved",
});
const DIGEST = announcement("3", { digest: { dueAt: AT + 3 * MINUTE, isEmpty: false } });
const EMPTY_DIGEST = announcement("4", { digest: { dueAt: AT + 3 * MINUTE, isEmpty: true } });
const CLEANED = announcement("5", { offsets: [{ anchor: "START", minutes: 0 }], cleanUp: 0 });
/** The end of the event "short". */
export const SHORT_ENDS_AT = AT + 6 * MINUTE;

function records(): GuildRecords {
  const pause = { sentAt: AT + SECOND, ackedAt: AT + SECOND, until: AT + HOUR };
  const deleted = { sentAt: AT + 5 * MINUTE, ackedAt: AT + 5 * MINUTE + 5, state: null };
  const gone = event("gone", 2, HOUR);
  const moved = event("moved", 30, HOUR);
  const changedAt = AT + 2 * MINUTE;
  const times = { startsAt: AT + 40 * MINUTE, endsAt: AT + 40 * MINUTE + HOUR };
  const stamps = { scheduledAt: changedAt, rescheduledAt: changedAt };
  const state = { ...(moved.versions[0]?.state as EventState), ...times, ...stamps };
  return {
    guildId: "1",
    announcements: [EDITED, KEPT, DIGEST, EMPTY_DIGEST, CLEANED, CHANGED],
    events: [
      event("raid", 5, HOUR),
      event("short", 4, 2 * MINUTE),
      { ...event("paused", 4, HOUR), pauses: [pause] },
      { ...gone, versions: [...gone.versions, deleted] },
      { ...moved, versions: [...moved.versions, { sentAt: changedAt - 5, ackedAt: changedAt + 5, state }] },
    ],
    pauses: { guild: [], calendar: [] },
    removed: new Set(),
  };
}

function textsOf({ name, startsAt, endsAt }: EventState): string[] {
  return [name, ...[startsAt, endsAt].map((at) => `<t:${at / 1_000}:F>`), EDITED.info];
}

/** The row that a demand must have. */
function settled({ announcement: about, event: of, offset, startsAt, dueAt, isPaused }: DemandedPost, at: number): Row {
  const { announcementId, channel, digest, hasOffsets } = about;
  const skip =
    isPaused === "yes"
      ? ({ reason: "paused until 2030-03-17T18:46:40Z (event)", reasonCode: "PAUSED" } as const)
      : digest?.isEmpty === true && ({ reason: "nothing to list", reasonCode: "DIGEST_EMPTY" } as const);
  const isCleaned = channel === CLEANED.channel && of?.eventId === "short";
  const step = isCleaned ? "DELETED" : of?.versions.at(-1)?.state === null ? "CANCELLED" : "EDITED";
  return {
    announcementId: announcementId as SettledPost["announcementId"],
    channel,
    eventId: (of?.occurrenceId ?? `d${channel}_20300317`) as SettledPost["eventId"],
    startsAt,
    dueAt,
    settledAt: dueAt + 50,
    ...(hasOffsets && offset && { anchor: offset.anchor, offsetMinutes: offset.minutes }),
    ...(skip === false
      ? { state: "sent", messageId: `m${at}`, lateMs: 50, steps: [{ step, at: END_AT }] }
      : { state: "skipped", ...skip }),
  };
}

/** A run that keeps every promise. */
export function sampleRun(): Run {
  const guild = records();
  const demands = demandedPosts(guild, []).filter(({ dueAt }) => dueAt <= END_AT);
  const rows = demands.map(settled);
  const messages = rows.flatMap(({ messageId: id, channel, dueAt, eventId }): Message[] => {
    if (id === undefined) return [];
    const versions = guild.events.find(({ occurrenceId }) => occurrenceId === eventId)?.versions ?? [];
    const { state } = versions.at(-1) ?? {};
    const [title, ...texts] = state === null ? ["~~gone~~", "Cancelled"] : state === undefined ? [] : textsOf(state);
    const edits = channel === EDITED.channel && { edits: 1 };
    const isCleaned = channel === CLEANED.channel && eventId === "short";
    const deletion = isCleaned && { deletedAt: SHORT_ENDS_AT + 20 };
    const about = { content: "", nonce: id, pings: { everyone: false, users: [], roles: [] }, author: "bot" } as const;
    return [
      {
        id,
        channel,
        receivedAt: dueAt + 10,
        embeds: [{ title, description: texts.join(" ") }],
        ...about,
        ...edits,
        ...deletion,
      },
    ];
  });
  const row = (name: string, offset: string) =>
    rows.find(
      ({ channel, eventId, anchor = "lead time", offsetMinutes = 0 }) =>
        [eventId, channel, `${eventId} in ${channel}`].includes(name) && offset === `${anchor} ${offsetMinutes}`,
    ) as Row;
  const message = (name: string, offset: string) => {
    const { messageId } = row(name, offset);
    return messages.find(({ id }) => id === messageId) as Message;
  };
  const removed = row("raid", "CREATED 0");
  removed.steps = [{ step: "GONE", at: END_AT }];
  guild.removed.add(removed.messageId as string);
  return { guild, rows, messages, editsWhenGone: new Map(), row, message };
}
