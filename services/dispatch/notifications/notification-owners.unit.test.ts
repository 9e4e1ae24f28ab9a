import { expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { sampleOccurrence } from "../../../test/fixtures/dispatch-samples.ts";
import type { GuildId, OccurrenceId } from "../../contracts/ids.ts";
import { notificationOwners } from "./notification-owners.ts";

test("a start or an end is notified although its event, calendar or guild is paused (D62)", async () => {
  const paused = sampleOccurrence({ eventPausedUntil: 9, calendarPausedUntil: 9 });
  const broker = new ServiceBroker({ logger: false });
  broker.call = async (action: string): Promise<never> =>
    (action === "calendar-events.getOccurrence" ? paused : { occurrences: [paused], truncated: false }) as never;
  const owners = notificationOwners(broker, { note: () => undefined });
  const guildId = "1" as GuildId;
  await expect(owners.occurrence(guildId, "e1" as OccurrenceId)).resolves.toStrictEqual(sampleOccurrence());
  const { occurrences } = await owners.occurrences({ guildId, windows: [], limit: 1 });
  expect(occurrences).toStrictEqual([sampleOccurrence()]);
  await expect(owners.settings(guildId)).resolves.not.toHaveProperty("pausedUntil");
});
