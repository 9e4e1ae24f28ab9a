import { describe, expect, test } from "@jest/globals";
import { type SentMessage, wasDeletedEarly, wasLeft } from "./deleted-messages.ts";
import { announcement, AT, event, MINUTE, SECOND } from "./sample-run.ts";

const RAID = event("raid", 0, 2 * MINUTE);
const [CREATED] = RAID.versions as [(typeof RAID.versions)[number]];
const END = AT + 2 * MINUTE;
const LENGTHENED_AT = END - 10 * SECOND;
const lengthened = {
  sentAt: LENGTHENED_AT - 5,
  ackedAt: LENGTHENED_AT,
  state: { ...CREATED.state!, endsAt: END + MINUTE },
};
const removed = { sentAt: LENGTHENED_AT - 5, ackedAt: LENGTHENED_AT, state: null };

function sent(deletedAt: number | undefined, versions = RAID.versions, cleanUp = 0): SentMessage {
  const about = { row: {}, message: { ...(deletedAt !== undefined && { deletedAt }) } } as SentMessage;
  return { ...about, announcement: announcement("1", { cleanUp }), event: { ...RAID, versions } };
}

describe("a message with clean_up", () => {
  test("may be deleted from the end of its event and the minutes of the announcement on", () => {
    expect(wasDeletedEarly(sent(END - 1))).toBe(true);
    expect(wasDeletedEarly(sent(END))).toBe(false);
    expect(wasDeletedEarly(sent(END + MINUTE - 1, RAID.versions, 1))).toBe(true);
    expect(wasDeletedEarly(sent(END + MINUTE, RAID.versions, 1))).toBe(false);
  });

  test("of an event that is shorter than a minute counts a minute from its start", () => {
    const { versions } = event("raid", 0, SECOND);
    expect(wasDeletedEarly(sent(AT + SECOND, versions))).toBe(true);
    expect(wasDeletedEarly(sent(AT + MINUTE, versions))).toBe(false);
  });

  test("follows an event that is lengthened, shortly after the acknowledgement", () => {
    const versions = [CREATED, lengthened];
    expect(wasDeletedEarly(sent(END, versions))).toBe(true);
    expect(wasDeletedEarly(sent(END + MINUTE, versions))).toBe(false);
    const near = { ...lengthened, sentAt: END - 10, ackedAt: END - 5 };
    expect(wasDeletedEarly(sent(END, [CREATED, near]))).toBe(false);
  });

  test("keeps the end of an event that is deleted", () => {
    expect(wasDeletedEarly(sent(END - 1, [CREATED, removed]))).toBe(true);
    expect(wasDeletedEarly(sent(END, [CREATED, removed]))).toBe(false);
    expect(wasLeft(sent(undefined, [CREATED, removed]), END)).toBe(true);
  });

  test("is left if it is not deleted though its instant was before the end of the run", () => {
    expect(wasLeft(sent(undefined), END)).toBe(true);
    expect(wasLeft(sent(undefined), END - 1)).toBe(false);
    expect(wasLeft(sent(undefined, [CREATED, lengthened]), END)).toBe(false);
    expect(wasLeft(sent(END), END)).toBe(false);
  });
});
