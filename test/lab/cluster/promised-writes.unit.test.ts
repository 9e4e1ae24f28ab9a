import { describe, expect, test } from "@jest/globals";
import { PromisedWrites } from "./promised-writes.ts";

const found = (id: string, mark: string, value = "v0") => ({ guildId: "1", id, mark, value });

function writes(): PromisedWrites {
  const promised = new PromisedWrites();
  promised.created({ guildId: "1", mark: "a", id: "e1" });
  promised.created({ guildId: "1", mark: "b" });
  return promised;
}

describe("the verdict on writes", () => {
  test("nothing is lost if each confirmed record exists once, whether an unconfirmed one exists or not", () => {
    const complete = { promised: 1, lostWrites: 0, doubledWrites: 0 };
    expect(writes().verdictOn([found("e1", "a")])).toEqual(complete);
    expect(writes().verdictOn([found("e1", "a"), found("e2", "b")])).toEqual(complete);
  });

  test("a confirmed record that does not exist is lost", () => {
    expect(writes().verdictOn([found("e2", "b")])).toMatchObject({ lostWrites: 1 });
    expect(writes().verdictOn([found("e9", "a")])).toMatchObject({ lostWrites: 1 });
  });

  test("a record that exists twice is doubled, confirmed or not", () => {
    expect(writes().verdictOn([found("e1", "a"), found("e9", "a")])).toMatchObject({ doubledWrites: 1 });
    expect(writes().verdictOn([found("e1", "a"), found("e2", "b"), found("e3", "b")])).toMatchObject({
      doubledWrites: 1,
    });
  });

  test("the value of a confirmed update must be stored; that of an unconfirmed one may be", () => {
    const promised = writes();
    promised.updated("e1", "v1", true);
    promised.updated("e1", "v2", false);
    expect(promised.verdictOn([found("e1", "a", "v1")])).toMatchObject({ promised: 2, lostWrites: 0 });
    expect(promised.verdictOn([found("e1", "a", "v2")])).toMatchObject({ lostWrites: 0 });
    expect(promised.verdictOn([found("e1", "a", "v0")])).toMatchObject({ lostWrites: 1 });
  });
});
