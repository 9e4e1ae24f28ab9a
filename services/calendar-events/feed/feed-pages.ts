import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { timeZones } from "../../../mixins/time-zones/time-zones.ts";
import { CHANGE_FEED_OVERLAP_MS } from "../../contracts/change-feed.contract.ts";
import type {
  FeedPage,
  FeedReference,
  OpenedFeed,
  OpenFeedParams,
  ReadFeedPageParams,
} from "../../contracts/feeds.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { type Calendar, calendarView, MAX_ZONE_CHANGES, unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { beginOfCalendar, END_OF_CALENDAR } from "../domain/feed/calendar-component.ts";
import { type FeedEvent, singleEvent } from "../domain/feed/event-component.ts";
import { type FeedCursor, readCursor, START, writeCursor } from "../domain/feed/feed-cursor.ts";
import { feedTag, isTagOf, unsettledTag } from "../domain/feed/feed-tag.ts";
import { timeZoneComponent } from "../domain/feed/time-zone-component.ts";
import { UTC, ianaZone } from "../domain/calendar/zone.ts";
import type { FeedReads } from "../store/feed-reads.store.ts";
import { type FeedPiece, isRecurring, isShown, seriesPieces } from "./feed-series.ts";

/** The feed of a calendar as text, page by page. All pages are of one snapshot of the database (README). */
export interface FeedPages {
  open(params: OpenFeedParams, now: EpochMs): Promise<OpenedFeed>;
  read(params: ReadFeedPageParams): Promise<FeedPage | Refusal>;
}

/** Number of characters after which a page ends. It may exceed it by one piece: in the worst case 100 additions with all texts. */
const PAGE_LENGTH = 131_072;

export function feedPages(reads: FeedReads, pageLength = PAGE_LENGTH): FeedPages {
  async function calendarAt({ guildId, calendarNumber }: FeedReference, moment: string): Promise<Calendar> {
    return (await reads.calendar({ guildId, calendarNumber }, moment)) ?? unwrittenCalendar(guildId, calendarNumber);
  }

  async function begin(params: FeedReference, calendar: Calendar, moment: string): Promise<string> {
    const { name, timezone } = calendarView(calendar);
    const head = beginOfCalendar({ name, timezone, color: params.color });
    return head + (await timeZonesOf(params, calendar, moment)).join("");
  }

  /**
   * The VTIMEZONE components of all zones in which the calendar's series may be. The calendar stores its last zones; when it
   * has the largest number of them, the series may also have older ones.
   */
  async function timeZonesOf(
    { guildId, calendarNumber }: FeedReference,
    { zoneChanges, furtherZones = [] }: Calendar,
    moment: string,
  ) {
    if (zoneChanges.length + furtherZones.length === 0) return [];
    const of = { guildId, calendarNumber };
    const olderZones = zoneChanges.length < MAX_ZONE_CHANGES ? [] : await reads.zonesOfSeries(of);
    const from = await reads.earliestStart(of, moment);
    if (from === undefined) return [];
    const names = [...zoneChanges.map(({ timezone }) => timezone), ...furtherZones, ...olderZones];
    // Events use the zone's name of this process, which may differ from the stored one.
    const zones = new Set(names.flatMap((name) => ianaZone(name) ?? []));
    zones.delete(UTC);
    return [...zones].flatMap(({ name }) => {
      const rules = timeZones().rulesOf(name);
      return rules === undefined ? [] : [timeZoneComponent(name, rules, from)];
    });
  }

  async function* pieces(
    of: FeedReference,
    calendar: Calendar,
    { moment, ...position }: FeedCursor,
  ): AsyncIterable<FeedPiece> {
    const { guildId, calendarNumber, color } = of;
    const series = { reads, calendar, color, moment };
    if (position.within !== undefined) {
      const event = await reads.event({ guildId, calendarNumber }, position.id, moment);
      if (event !== undefined && isRecurring(event)) yield* seriesPieces(event, series, position.within);
    }
    for await (const event of reads.events({ guildId, calendarNumber }, color, position, moment)) {
      if (isRecurring(event)) yield* seriesPieces(event, series);
      else if (isShown(event.color, of)) yield singlePiece(event, calendar);
    }
  }

  return {
    async open({ known = [], ...of }, now) {
      const [last, revision] = await Promise.all([reads.lastChange(of.guildId), reads.calendarRevision(of)]);
      const { changedAt, readAt, moment } = last;
      const isSettled = readAt - changedAt >= CHANGE_FEED_OVERLAP_MS;
      const current = { changedAt, calendarRevision: revision };
      const unchanged = isSettled ? known.find((tag) => isTagOf(tag, current, now)) : undefined;
      if (unchanged !== undefined) return { tag: unchanged };
      // `revision` was not read in the snapshot of the events, so the calendar is read again there.
      const state = { changedAt, calendarRevision: (await calendarAt(of, moment)).revision };
      const tag = isSettled ? feedTag(state, now) : unsettledTag(state, moment);
      return { tag, cursor: writeCursor({ moment, ...START }) };
    },

    async read({ cursor, ...of }) {
      const from = readCursor(cursor);
      if (from === undefined) return refuse("INVALID_REQUEST");
      const calendar = await calendarAt(of, from.moment);
      const isBegin = from.id === "";
      let text = isBegin ? await begin(of, calendar, from.moment) : "";
      const slices = new TimeSlice();
      for await (const piece of pieces(of, calendar, from)) {
        text += piece.text;
        if (text.length >= pageLength) return { text, next: writeCursor({ moment: from.moment, ...piece.next }) };
        if (slices.isOver) await slices.rest();
      }
      return { text: text + END_OF_CALENDAR };
    },
  };
}

function singlePiece(event: FeedEvent, calendar: Calendar): FeedPiece {
  const { changedAt, id } = event;
  return { text: singleEvent(event, calendar), next: { changedAt, id } };
}
