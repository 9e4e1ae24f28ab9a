import { expect, test } from "@jest/globals";
import type { EventId, GuildId } from "../../contracts/ids.ts";
import type { CalendarEvent, StoredEvent } from "../domain/event/event.ts";
import { draftStore } from "./draft-store.ts";

const guildId = "1" as GuildId;
const NOW = 5_000;
const drafted: CalendarEvent = {
  id: `e${"0".repeat(25)}` as EventId,
  guildId,
  calendarNumber: 1,
  revision: 1,
  startsAt: 10_000,
  endsAt: 20_000,
  color: "NONE",
};
const stored: StoredEvent = { ...drafted, scheduledAt: 1, coloredAt: 2, endSetAt: 3, createdAt: 4 };

function storeWith(found?: StoredEvent) {
  const base = {
    find: async () => (found === undefined ? undefined : { event: found }),
    following: async () => [],
    overrides: async () => [],
    countStored: async () => 0,
  };
  return draftStore(base, 10, NOW);
}

test("a drafted event is created at the time of the request", async () => {
  const store = storeWith();
  await store.insert(drafted);
  expect((await store.find(guildId, drafted.id))?.event).toMatchObject({ createdAt: NOW, scheduledAt: NOW });
});

test("a drafted change sets the times of what it changes, and keeps the others", async () => {
  const store = storeWith(stored);
  const event = { ...drafted, revision: 2, endsAt: 30_000 };
  await store.replace({ event, rescheduled: false, recolored: false }, "all");
  expect((await store.find(guildId, drafted.id))?.event).toMatchObject({ endSetAt: 3, createdAt: 4, scheduledAt: 1 });
  await store.replace({ event, rescheduled: false, recolored: true, endChanged: true }, "all");
  expect((await store.find(guildId, drafted.id))?.event).toMatchObject({ endSetAt: NOW, createdAt: 4, coloredAt: NOW });
});
