import { describe, expect, test } from "@jest/globals";
import { askedTogether } from "./asked-together.ts";

describe("what is asked for more than once in a turn of the event loop", () => {
  function counted() {
    const asked: string[] = [];
    const ask = askedTogether(async (guild: string, calendar?: number) => {
      const name = `${guild} ${String(calendar)}`;
      asked.push(name);
      return `${name}, the answer ${asked.length}`;
    });
    return { asked, ask };
  }

  test("is asked once, by its arguments", async () => {
    const { asked, ask } = counted();
    const answers = await Promise.all([ask("1", 2), ask("1", 2), ask("1"), ask("2", 2)]);
    expect(asked).toEqual(["1 2", "1 undefined", "2 2"]);
    expect(answers[0]).toBe(answers[1]);
  });

  test("is asked anew for who comes once it was begun", async () => {
    const { asked, ask } = counted();
    const first = ask("1", 2);
    await new Promise((wake) => setImmediate(wake));
    expect([await first, await ask("1", 2)]).toEqual(["1 2, the answer 1", "1 2, the answer 2"]);
    expect(asked).toHaveLength(2);
  });

  test("fails for all who asked, and then not again", async () => {
    let fails = true;
    const ask = askedTogether(async (name: string) => {
      if (fails) throw new Error("gone");
      return name;
    });
    await expect(Promise.allSettled([ask("a"), ask("a")])).resolves.toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ]);
    fails = false;
    await expect(ask("a")).resolves.toBe("a");
  });
});
