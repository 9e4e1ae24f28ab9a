import { expect, test } from "@jest/globals";
import { MemoryGuild } from "../../../test/doubles/memory-guild.ts";
import { draftEventId, type DraftChange } from "../../contracts/draft-changes.contract.ts";

const NO_WINDOW = { from: 0, until: 0 };

test("drafts of events are refused in a calendar that follows an address (D55), and its new zone is not", async () => {
  const guild = new MemoryGuild();
  const calendarNumber = 1;
  const create: DraftChange = { action: "CREATE_EVENT", calendarNumber, startsAt: 5, endsAt: 6 };
  const eventId = draftEventId(9);
  await guild.write(create, 9);
  const listed = (change: DraftChange) =>
    guild.owners().draftOccurrences({
      guildId: guild.id,
      changes: [change],
      now: 0,
      maxCalendars: [1, 1],
      references: [],
      window: NO_WINDOW,
      windows: [],
      limit: 1,
    });
  const changes: readonly DraftChange[] = [
    create,
    { action: "UPDATE_EVENT", calendarNumber, eventId, name: "x" },
    { action: "DELETE_EVENT", calendarNumber, eventId },
  ];
  for (const change of changes) expect(await listed(change)).not.toHaveProperty("refused");
  guild.followed.add(calendarNumber);
  for (const change of changes) {
    expect(await listed(change)).toEqual({ refused: { at: 0, refusal: { refusal: "CALENDAR_FOLLOWED" } } });
  }
  const zone: DraftChange = { action: "UPDATE_CALENDAR", calendarNumber, timezone: "Europe/Berlin" };
  expect(await listed(zone)).not.toHaveProperty("refused");
});
