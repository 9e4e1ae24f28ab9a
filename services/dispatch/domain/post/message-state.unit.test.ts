import { describe, expect, test } from "@jest/globals";
import type { OccurrenceId } from "../../../contracts/ids.ts";
import { shownFormerOccurrence, shownOccurrence } from "./message-state.ts";

const MINUTE = 60_000;
const YEAR = 366 * 86_400_000;
const NOW = 1_000_000;
const ID = "e1" as OccurrenceId;

function occurrence(startsAt: number, endsAt: number) {
  return { occurrenceId: ID, startsAt, endsAt };
}

describe("the messages of an announcement with clean_up (D68)", () => {
  test("are deleted that many minutes after the end, and followed until then", () => {
    const shown = shownOccurrence(occurrence(NOW, NOW + 5 * MINUTE), NOW, 10);
    expect(shown).toMatchObject({ endsAt: NOW + 5 * MINUTE, deleteAt: NOW + 15 * MINUTE, until: NOW + 15 * MINUTE });
  });

  test("of an event without length are deleted one minute later", () => {
    expect(shownOccurrence(occurrence(NOW, NOW), NOW, 0)).toMatchObject({ deleteAt: NOW + MINUTE });
  });

  test("are not deleted after 366 days if the event is longer", () => {
    const shown = shownOccurrence(occurrence(NOW, NOW + 2 * YEAR), NOW, 0);
    expect(shown).toMatchObject({ until: NOW + YEAR, deleteAt: NOW + 2 * YEAR });
  });

  test("of a deleted event are deleted after the end that it had", () => {
    const former = { endsAt: NOW + MINUTE, until: NOW + 9 * MINUTE };
    expect(shownFormerOccurrence(former, NOW, 2)).toMatchObject({ deleteAt: NOW + 3 * MINUTE });
    expect(shownFormerOccurrence({ until: NOW + MINUTE }, NOW, 2).deleteAt).toBe(NOW + 3 * MINUTE);
  });

  test("stay without clean_up, and are followed until the end", () => {
    const shown = shownOccurrence(occurrence(NOW, NOW + 5 * MINUTE), NOW);
    expect([shown.until, shown.deleteAt]).toEqual([NOW + 5 * MINUTE, undefined]);
  });
});
