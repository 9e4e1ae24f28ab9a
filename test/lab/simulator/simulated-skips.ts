import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { changedPause } from "../../../services/contracts/pause.ts";
import type { Feed } from "../../../services/dispatch/protocol/feeds.ts";
import type { Chance } from "./chance.ts";
import { HOLIDAYS } from "./simulated-holidays.ts";
import type { SimulatedOwners } from "./simulated-owners.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The former and present contents of records by their ids. */
export type Histories<Content> = ReadonlyMap<string, readonly { readonly content: Content | null }[]>;

/** Any record that exists; undefined without one. */
export function anyAlive<Content>(chance: Chance, histories: Histories<Content>): Content | undefined {
  const alive = [...histories.values()].flatMap((history) => history.at(-1)?.content ?? []);
  return alive.length === 0 ? undefined : chance.oneOf(alive);
}

interface Writes {
  readonly write: (feed: Feed, id: string, next: (at: number) => unknown) => void;
  /** A number that no other record has in its id. */
  readonly nextNumber: () => number;
}

/** The edits that make dispatch skip posts: pauses (D62) and holidays (D66). */
export function skipsOf(
  {
    time,
    owners,
    guildId,
  }: { readonly time: VirtualTime; readonly owners: SimulatedOwners; readonly guildId: GuildId },
  { write, nextNumber }: Writes,
): { readonly pause: () => void; readonly editHolidays: () => void } {
  const { chance } = time;
  return { pause, editHolidays };

  /** Pauses the guild, an event or an announcement until an instant ahead, and mostly ends the pause before that. */
  function pause(): void {
    const length = chance.between(500, 60_000);
    const of = chance.oneOf(["guild", "event", "announcement"] as const);
    const id = idToPause(of);
    if (id === undefined) return;
    writePause(of, id, (at) => at + length);
    if (chance.happens(0.7)) time.after(chance.between(500, 20_000), () => writePause(of, id, () => null));
  }

  function idToPause(of: "guild" | "event" | "announcement"): string | undefined {
    if (of === "guild") return guildId;
    return of === "event"
      ? anyAlive<Occurrence>(chance, owners.occurrences)?.occurrenceId
      : anyAlive<Announcement>(chance, owners.announcements)?.id;
  }

  function writePause(of: "guild" | "event" | "announcement", id: string, until: (at: number) => number | null): void {
    if (of === "guild") {
      write("guild-settings", id, (at) => ({ guildId, ...changedPause({}, until(at)) }));
      return;
    }
    if (of === "event") {
      write("calendar-events", id, (at) => {
        const event = owners.occurrences.get(id)?.at(-1)?.content ?? null;
        return event && { ...event, eventPausedUntil: until(at) ?? 0 };
      });
      return;
    }
    write("announcements", id, (at) => {
      const announcement = owners.announcements.get(id)?.at(-1)?.content ?? null;
      if (announcement === null) return null;
      const { pausedUntil: _, ...others } = announcement;
      return { ...others, ...changedPause({}, until(at)) };
    });
  }

  /** Creates a holiday on the day of an event, and mostly deletes it soon; or changes whether an announcement skips holidays. */
  function editHolidays(): void {
    const event = anyAlive<Occurrence>(chance, owners.occurrences);
    const announcement = anyAlive<Announcement>(chance, owners.announcements);
    if (event === undefined || announcement === undefined) return;
    if (chance.happens(0.3)) {
      const { skipOn, ...others } = announcement;
      write("announcements", announcement.id, () => (skipOn === undefined ? { ...others, skipOn: HOLIDAYS } : others));
      return;
    }
    const id = `h${nextNumber()}`;
    const times = { startsAt: event.startsAt - chance.between(0, 5_000), endsAt: event.startsAt + 20_000 };
    write("calendar-events", id, () => ({ ...times, name: id }));
    if (chance.happens(0.7)) time.after(chance.between(500, 20_000), () => write("calendar-events", id, () => null));
  }
}
