import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { flag, guildId, integer, listOf, optional, reference, text } from "../../services/contracts/field-rules.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { PROJECT } from "../real-parts/launched.ts";

/** What a rule may have of fastest-validator's terms, and of ours (`field-rules.ts`). */
interface RuleTerms {
  readonly type?: string;
  readonly min?: number;
  readonly max?: number;
  readonly enum?: readonly unknown[];
  readonly form?: { readonly max: number };
  readonly item?: object;
  readonly items?: object;
  readonly strict?: boolean;
  readonly props?: object;
}

/** The paths of params that somebody could make as large as he likes. */
function unbounded(params: object): string[] {
  return Object.entries(params).flatMap(([name, rule]) => {
    const { item, items, props } = rule as RuleTerms;
    const entry = item ?? items;
    const entries = entry === undefined ? [] : unbounded({ "[]": entry });
    const members = props === undefined ? [] : unbounded(props);
    const own = isBounded(rule as RuleTerms) ? [] : [name];
    return own.concat(
      entries.map((inner) => `${name}${inner}`),
      members.map((inner) => `${name}.${inner}`),
    );
  });
}

function isBounded({ type, min, max, enum: values, form, item, items, strict, props }: RuleTerms): boolean {
  switch (type) {
    case undefined:
      return false;
    case "boolean":
      return true;
    case "number":
      return min !== undefined && max !== undefined;
    case "string":
    case "any":
      return form !== undefined || values !== undefined;
    case "array":
      return max !== undefined && (item ?? items) !== undefined;
    case "object":
      return strict === true && props !== undefined;
    default:
      return false;
  }
}

/**
 * Texts that are as long as a body or a message on the bus allows: ids, since one that names nothing is a 404 however it is
 * spelt (D28), and a colour that may be ignored whatever it holds (D27). None of them is stored as it came.
 */
const AS_LONG_AS_ITS_MESSAGE = /^(?:only\.)?(?:id|eventId|occurrenceId|eventColor)$/;

interface Payload {
  readonly name: string;
  readonly payload: object;
}

/** The contracts of all events that are broadcast. */
async function everyEvent(): Promise<Payload[]> {
  const folder = join(PROJECT, "services/contracts");
  const files = readdirSync(folder).filter((file) => file.endsWith(".contract.ts"));
  const modules = await Promise.all(files.map((file) => import(join(folder, file)) as Promise<object>));
  return modules.flatMap((module) =>
    (Object.values(module) as unknown[]).filter(
      (each): each is Payload => Object(each) === each && "payload" in (each as object),
    ),
  );
}

describe("what a message holds has a bound", () => {
  test.each([
    ["a text", { type: "string" }, [""]],
    ["a list", { type: "array", items: flag }, [""]],
    ["a list of anything", { type: "array", max: 9 }, [""]],
    ["an entry of a list", { type: "array", max: 9, items: { type: "string" } }, ["[]"]],
    ["a number", { type: "number", integer: true, min: 0 }, [""]],
    ["an object", { type: "object", props: {} }, [""]],
    ["a member", { type: "object", strict: true, props: { inner: reference } }, [".inner"]],
    ["anything", { type: "any" }, [""]],
  ])("%s without one is found", (_, rule, inner) => {
    expect(unbounded({ field: rule })).toEqual(inner.map((path) => `field${path}`));
  });

  test("one that has a bound is not found", () => {
    const bounded = { guildId, count: integer(0, 9), texts: optional(listOf(text(5), 3)), flag };
    expect(unbounded(bounded)).toEqual([]);
  });

  test.each(EVERY_ACTION.map(({ name, params }) => ({ name, params })))("each param of $name", ({ params }) => {
    expect(unbounded(params).filter((path) => !AS_LONG_AS_ITS_MESSAGE.test(path))).toEqual([]);
  });

  test("each field of each event", async () => {
    const events = await everyEvent();
    expect(events.length).toBeGreaterThan(5);
    const found = events.flatMap(({ name, payload }) => unbounded(payload).map((path) => `${name}: ${path}`));
    expect(found).toEqual([]);
  });
});
