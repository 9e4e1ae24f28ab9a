import type { PostOffset } from "../../../services/contracts/announcement-offsets.ts";
import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { sampleAnnouncement, sampleOccurrence } from "../../fixtures/dispatch-samples.ts";
import { leadMs } from "../../../services/dispatch/domain/plan/offsets.ts";
import type { Feed } from "../../../services/dispatch/protocol/feeds.ts";
import { dueInterval, offsetsIn } from "./due-rules.ts";
import { type Scenario, LAST_FAULT_MS } from "./scenario.ts";
import { CALENDAR, retimed, someDigest, withOtherZone } from "./simulated-digests.ts";
import { HOLIDAYS } from "./simulated-holidays.ts";
import { anyAlive, type Histories, skipsOf } from "./simulated-skips.ts";
import type { SimulatedOwners } from "./simulated-owners.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const GUILD = "1" as GuildId;
/** A guild that has many posts at one instant in some runs. */
export const NOISY_GUILD = "2" as GuildId;

const SOME_OFFSETS: readonly PostOffset[] = [
  ...([-1, 0, 1] as const).map((minutes) => ({ anchor: "START", minutes }) as const),
  ...([-1, 0, 1] as const).map((minutes) => ({ anchor: "END", minutes }) as const),
  ...([0, 1] as const).map((minutes) => ({ anchor: "CREATED", minutes }) as const),
  ...([0, 1] as const).map((minutes) => ({ anchor: "CHANGED", minutes }) as const),
];

const EVENT_EDITS = ["move", "move", "nudge", "remove", "recolor", "rename"] as const;

/** Creates the guild, and schedules the edits of its users. */
export function scheduleEdits(
  { time, scenario, owners }: { time: VirtualTime; scenario: Scenario; owners: SimulatedOwners },
  waitForOwners: (then: () => void) => void,
): void {
  const { chance } = time;
  const start = time.now;
  let made = 0;
  const skips = skipsOf({ time, owners, guildId: GUILD }, { write, nextNumber: () => (made += 1) });

  function write(feed: Feed, id: string, next: (at: number) => unknown, guildId = GUILD): void {
    waitForOwners(() => owners.change(feed, guildId, id, next, chance.between(0, scenario.slowWriteMs)));
  }

  function makeAnnouncement(): void {
    const id = `a${(made += 1)}`;
    const kind = chance.happens(0.3) ? ({ type: "COLOR", eventColor: "RED" } as const) : {};
    write("announcements", id, (standsSince) =>
      sampleAnnouncement({
        id: id as never,
        ...lead(),
        ...offsets(),
        ...messageEditing(),
        ...kind,
        ...holidays(),
        standsSince,
      }),
    );
  }

  function holidays(): Pick<Announcement, "skipOn"> {
    return scenario.holidays && chance.happens(0.7) ? { skipOn: HOLIDAYS } : {};
  }

  function makeDigest(): void {
    const id = `a${(made += 1)}`;
    write("announcements", id, (standsSince) => someDigest(id, standsSince, chance));
  }

  /** Changes the zone of the calendar, or the time of a digest. */
  function editDigests(): void {
    const digests = [...owners.announcements.values()].flatMap((history) => history.at(-1)?.content ?? []);
    const digest = chance.oneOf(digests.filter(({ type }) => type === "DIGEST"));
    if (digest === undefined || chance.happens(0.4)) {
      write("calendar-events", CALENDAR, (at) => withOtherZone(owners.zones(), at));
    } else {
      write("announcements", digest.id, (at) => retimed(digest, at, chance));
    }
  }

  function lead(): Pick<Announcement, "minutes"> {
    return { minutes: chance.happens(0.7) ? 0 : 1 };
  }

  function messageEditing(): Pick<Announcement, "onChange" | "cleanUp"> {
    if (scenario.cleanUps) return { ...(chance.happens(0.5) && { onChange: "EDIT" }), ...cleanUp() };
    return scenario.messageEdits ? { onChange: "EDIT" } : {};
  }

  function cleanUp(): Pick<Announcement, "cleanUp"> {
    return chance.happens(0.8) ? { cleanUp: chance.oneOf([0, 1]) } : {};
  }

  /** Changes something of a message, often twice, so that a change comes while the message is edited. */
  function editAnnounced(): void {
    editMessage();
    if (chance.happens(0.6)) time.after(chance.between(500, 3_000), editMessage);
  }

  /** Changes an event that may be announced already, or the text of an announcement. */
  function editMessage(): void {
    const announcement = anyOf<Announcement>(owners.announcements);
    if (announcement === undefined || chance.happens(0.8)) return editEvent();
    if (scenario.cleanUps && chance.happens(0.5)) return editCleanUp(announcement);
    const { onChange: before } = announcement;
    const { onChange: _, ...others } = announcement;
    const changed = chance.happens(0.3) ? (before === undefined ? announcement : others) : announcement;
    write("announcements", announcement.id, (at) => ({ ...changed, info: `at ${at}` }));
  }

  function editCleanUp({ cleanUp: _, ...others }: Announcement): void {
    const changed = { ...others, ...cleanUp() };
    write("announcements", others.id, () => changed);
  }

  /** One to three offsets, in a run with offsets. */
  function offsets(): Pick<Announcement, "offsets"> {
    if (!scenario.offsets || chance.happens(0.1)) return {};
    const drawn = Array.from({ length: chance.between(1, 3) }, () => chance.oneOf(SOME_OFFSETS));
    return { offsets: [...new Set(drawn)] };
  }

  function someLength(): number {
    if (scenario.cleanUps) return chance.oneOf([0, 60_000, 90_000]);
    if (scenario.messageEdits) return chance.oneOf([0, 60_000, 900_000, 900_000, 900_000]);
    return scenario.offsets ? chance.oneOf([0, 30_000, 60_000, 180_000]) : chance.oneOf([0, 600_000]);
  }

  function makeEvent(startsAt = someStart(), guildId = GUILD): void {
    const id = `e${(made += 1)}`;
    const times = { startsAt, endsAt: startsAt + someLength() };
    const color = chance.oneOf(["NONE", "RED"] as const);
    const ids = { occurrenceId: id as never, eventId: id as never };
    const stamps = (at: number) => ({ scheduledAt: at, coloredAt: at, createdAt: at });
    const newEvent = (at: number) => sampleOccurrence({ ...ids, ...times, color, ...stamps(at) });
    write("calendar-events", id, newEvent, guildId);
  }

  /** Many announcements of one event, at the start of the other guild's first event or slightly before. */
  function makeNoise(startsAt: number): void {
    makeEvent(startsAt, NOISY_GUILD);
    for (let count = 0; count < scenario.noisy; count += 1) {
      const id = `n${count}`;
      write("announcements", id, (standsSince) => sampleAnnouncement({ id: id as never, standsSince }), NOISY_GUILD);
    }
  }

  function someStart(): number {
    const ahead = chance.happens(0.75) ? chance.between(6_000, 70_000) : chance.between(62_000, 125_000);
    return Math.max(time.now + 1_000, start + ahead);
  }

  function anyOf<Content>(histories: Histories<Content>): Content | undefined {
    return anyAlive(chance, histories);
  }

  function editEvent(): void {
    const event = anyOf<Occurrence>(owners.occurrences);
    if (event === undefined) return makeEvent();
    const { occurrenceId: id, startsAt, endsAt } = event;
    const edit = chance.oneOf(scenario.offsets ? ([...EVENT_EDITS, "stretch", "stretch"] as const) : EVENT_EDITS);
    const stretched = edit === "stretch" ? startsAt + someLength() + chance.between(0, 20_000) : endsAt;
    const moved = edit === "nudge" ? startsAt + chance.between(-30_000, 30_000) : someStart();
    write("calendar-events", id, (at) => {
      const color = event.color === "RED" ? ("NONE" as const) : ("RED" as const);
      switch (edit) {
        case "remove":
          return null;
        case "recolor":
          return { ...event, color, coloredAt: at };
        case "rename":
          return { ...event, name: `at ${at}` };
        case "stretch":
          return { ...event, endsAt: stretched, endSetAt: at, rescheduledAt: at };
        case "move":
        case "nudge":
          return {
            ...event,
            startsAt: moved,
            endsAt: moved + endsAt - startsAt,
            scheduledAt: at,
            rescheduledAt: at,
          };
        default:
          throw new Error(edit satisfies never);
      }
    });
  }

  function editAnnouncement(): void {
    const announcement = anyOf<Announcement>(owners.announcements);
    if (announcement === undefined) return makeAnnouncement();
    const edit = chance.oneOf(["switch", "re-time", "channel", "remove"] as const);
    const otherOffsets = announcement.offsets === undefined ? {} : { offsets: [chance.oneOf(SOME_OFFSETS)] };
    write("announcements", announcement.id, (at) => {
      switch (edit) {
        case "remove":
          return null;
        case "switch":
          return {
            ...announcement,
            enabled: !announcement.enabled,
            standsSince: announcement.enabled ? announcement.standsSince : at,
          };
        case "re-time":
          if (announcement.digest !== undefined) return retimed(announcement, at, chance);
          return { ...announcement, minutes: 1 - announcement.minutes, ...otherOffsets, standsSince: at };
        case "channel":
          return { ...announcement, channel: announcement.channel === "77" ? "78" : "77" };
        default:
          throw new Error(edit satisfies never);
      }
    });
  }

  /** A due instant of the event by an offset; without offsets, or if nothing is due, the start minus the lead time. */
  function dueInstant(announcement: Announcement, event: Occurrence): number {
    const offset = scenario.offsets ? chance.oneOf(offsetsIn(announcement)) : undefined;
    const interval = offset && dueInterval(announcement, offset, event, 0);
    return interval?.dueAt ?? event.startsAt - leadMs(announcement);
  }

  /** Half of the edits are in the seconds around a due instant. */
  function editInstant(): number {
    const event = anyOf<Occurrence>(owners.occurrences);
    const announcement = anyOf<Announcement>(owners.announcements);
    if (event === undefined || announcement === undefined || chance.happens(0.5))
      return chance.between(0, LAST_FAULT_MS);
    return dueInstant(announcement, event) - start + chance.between(-3_000, 2_000);
  }

  /** An instant at which a post may be in flight. */
  function sendInstant(): number {
    const event = anyOf<Occurrence>(owners.occurrences);
    const announcement = anyOf<Announcement>(owners.announcements);
    if (event === undefined || announcement === undefined) return LAST_FAULT_MS;
    return dueInstant(announcement, event) - start + chance.between(-500, 2_000);
  }

  /** Changes the channel and reverts it soon after, so that a slow plan still has the other channel. */
  function flip(): void {
    const announcement = anyOf<Announcement>(owners.announcements);
    if (announcement === undefined) return;
    const { id, channel } = announcement;
    write("announcements", id, () => ({ ...announcement, channel: channel === "77" ? "78" : "77" }));
    time.after(chance.between(50, 1_200), () => write("announcements", id, () => announcement));
  }

  /** The instant of such an edit, up to two seconds before a due instant: the edit may be reverted shortly before or after it. */
  function flipInstant(): number {
    const event = anyOf<Occurrence>(owners.occurrences);
    const announcement = anyOf<Announcement>(owners.announcements);
    if (event === undefined || announcement === undefined) return LAST_FAULT_MS;
    return dueInstant(announcement, event) - start - chance.between(0, 2_000);
  }

  function planEdits(): void {
    for (let count = 0; count < scenario.flips; count += 1) {
      time.after(start + Math.max(0, Math.min(LAST_FAULT_MS, flipInstant())) - time.now, flip);
    }
    for (let count = 0; count < scenario.edits; count += 1) {
      const at = Math.max(0, Math.min(LAST_FAULT_MS, editInstant()));
      const edit = chance.oneOf([editEvent, editEvent, editAnnouncement, () => makeEvent()]);
      time.after(start + at - time.now, edit);
    }
    for (let count = scenario.messageEdits ? chance.between(2, 8) : 0; count > 0; count -= 1) {
      const isAtSend = chance.happens(0.4);
      const at = isAtSend ? sendInstant() : chance.between(10_000, LAST_FAULT_MS);
      time.after(start + Math.min(at, LAST_FAULT_MS) - time.now, editAnnounced);
    }
    for (let count = scenario.pauses ? chance.between(1, 5) : 0; count > 0; count -= 1) {
      time.after(start + Math.max(0, Math.min(LAST_FAULT_MS, editInstant())) - time.now, skips.pause);
    }
    for (let count = scenario.holidays ? chance.between(2, 6) : 0; count > 0; count -= 1) {
      time.after(start + Math.max(0, Math.min(LAST_FAULT_MS, editInstant())) - time.now, skips.editHolidays);
    }
  }

  for (let count = 0; count < scenario.announcements; count += 1) makeAnnouncement();
  if (scenario.digests) {
    for (let count = chance.between(1, 3); count > 0; count -= 1) makeDigest();
    for (let count = chance.between(0, 3); count > 0; count -= 1) {
      time.after(chance.between(5_000, LAST_FAULT_MS), editDigests);
    }
  }
  const firstStart = someStart();
  for (let count = 0; count < scenario.events; count += 1) makeEvent(count === 0 ? firstStart : undefined);
  if (scenario.noisy > 0) makeNoise(firstStart - chance.between(0, 3_000));
  time.after(4_500, planEdits);
}
