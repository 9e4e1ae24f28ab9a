import { describe, expect, test } from "@jest/globals";
import { askedTogether } from "./asked-together.ts";

const turn = () => new Promise((wake) => setImmediate(wake));

describe("what is asked for more than once", () => {
  function counted() {
    const asked: string[] = [];
    const ask = askedTogether(async (guild: string, calendar?: number) => {
      const name = `${guild} ${String(calendar)}`;
      asked.push(name);
      return `${name}, the answer ${asked.length}`;
    });
    return { asked, ask };
  }

  test("in a turn of the event loop is asked once, by its arguments", async () => {
    const { asked, ask } = counted();
    const answers = await Promise.all([ask("1", 2), ask("1", 2), ask("1"), ask("2", 2)]);
    expect(asked).toEqual(["1 2", "1 undefined", "2 2"]);
    expect(answers[0]).toBe(answers[1]);
  });

  test("is asked anew for who comes once it was begun", async () => {
    const { asked, ask } = counted();
    const first = ask("1", 2);
    await turn();
    expect([await first, await ask("1", 2)]).toEqual(["1 2, the answer 1", "1 2, the answer 2"]);
    expect(asked).toHaveLength(2);
  });

  test("while an answer is under way is asked once more, at its end", async () => {
    const under: ((answer: string) => void)[] = [];
    const ask = askedTogether((_name: string) => new Promise<string>((resolve) => under.push(resolve)), 60_000);
    const first = ask("a");
    await turn();
    const later = [ask("a"), ask("a")];
    await turn();
    expect(under).toHaveLength(1);
    under[0]?.("first");
    await first;
    await turn();
    expect(under).toHaveLength(2);
    under[1]?.("second");
    await expect(Promise.all([first, ...later])).resolves.toEqual(["first", "second", "second"]);
  });

  test("is not held for ever by an answer that never comes", async () => {
    let asked = 0;
    const never = new Promise<string>(() => undefined);
    const ask = askedTogether((_name: string) => ((asked += 1) === 1 ? never : Promise.resolve("there")), 1);
    void ask("a");
    await turn();
    await expect(ask("a")).resolves.toBe("there");
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
