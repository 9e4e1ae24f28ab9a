import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "../../contracts/errors.ts";
import { BodiesUnderWay, TurnsToParse } from "./body-memory.ts";

const LARGEST = 65_536;

/** Enters bodies of one guild; the functions by which those that were let in leave. */
function enter(bodies: BodiesUnderWay, times: number, bytes: number, guild = "1"): (() => void)[] {
  const entered = Array.from({ length: times }, () => bodies.enter(guild, bytes));
  return entered.flatMap((each) => (isRefusal(each) ? [] : [each]));
}

describe("bodies that are read and not answered yet", () => {
  test("are 4 MiB of one guild at most, and further ones are refused with 429", () => {
    const bodies = new BodiesUnderWay();
    const leave = enter(bodies, 100, LARGEST);
    expect(leave).toHaveLength(64);
    expect(bodies.enter("1", LARGEST)).toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    leave[0]!();
    expect(enter(bodies, 2, LARGEST)).toHaveLength(1);
  });

  test("are 32 MiB of all guilds at most", () => {
    const bodies = new BodiesUnderWay();
    const leave = Array.from({ length: 10 }, (_, at) => enter(bodies, 100, LARGEST, `${at}`)).flat();
    expect(leave).toHaveLength(512);
    for (const each of leave) each();
    expect(enter(bodies, 100, LARGEST, "another")).toHaveLength(64);
  });

  test("have room where they are small, whatever others have under way", () => {
    const bodies = new BodiesUnderWay();
    for (let at = 0; at < 10; at += 1) enter(bodies, 100, LARGEST, `${at}`);
    expect(enter(bodies, 1_000, 4_096, "1")).toHaveLength(1_000);
    expect(enter(bodies, 1, 4_097, "another")).toHaveLength(0);
  });
});

test("one large body is parsed in a turn of the event loop, and small ones at once", async () => {
  const turns = new TurnsToParse();
  let turn = 0;
  const count = () => {
    turn += 1;
    if (turn < 5) setImmediate(count);
  };
  setImmediate(count);
  const parsedIn = (bytes: number) => turns.wait(bytes).then(() => turn);
  const sizes = [LARGEST, LARGEST, 4_097, 4_096];
  await expect(Promise.all(sizes.map(parsedIn))).resolves.toEqual([0, 1, 2, 0]);
});
