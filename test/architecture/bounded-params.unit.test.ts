import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { flag, guildId, integer, listOf, optional, reference, text } from "../../services/contracts/field-rules.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { PROJECT } from "../harness/guildcal-process.ts";

/** The members of a rule, which are those of fastest-validator and of `field-rules.ts`. */
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

/** The paths of params without a bound. */
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
 * Texts that only the maximum size of a body or message limits: ids, since any unknown id gets a 404 (D28), and a color, since
 * an unknown one may be ignored (D27). None of them is stored unchanged.
 */
const BOUNDED_BY_MESSAGE =
  /^(?:(?:only|changes\[\]|references\[\])\.)?(?:id|eventId|occurrenceId|deliveryId|eventColor)$/;

interface Payload {
  readonly name: string;
  readonly payload: object;
}

/** The contracts of all broadcast events. */
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

describe("the fields of a message have a bound", () => {
  test.each([
    ["a text", { type: "string" }, [""]],
    ["a list", { type: "array", items: flag }, [""]],
    ["a list of anything", { type: "array", max: 9 }, [""]],
    ["an entry of a list", { type: "array", max: 9, items: { type: "string" } }, ["[]"]],
    ["a number", { type: "number", integer: true, min: 0 }, [""]],
    ["an object", { type: "object", props: {} }, [""]],
    ["a member", { type: "object", strict: true, props: { inner: reference } }, [".inner"]],
    ["anything", { type: "any" }, [""]],
  ])("%s without a bound is found", (_, rule, inner) => {
    expect(unbounded({ field: rule })).toEqual(inner.map((path) => `field${path}`));
  });

  test("params with bounds are not found", () => {
    const bounded = { guildId, count: integer(0, 9), texts: optional(listOf(text(5), 3)), flag };
    expect(unbounded(bounded)).toEqual([]);
  });

  test.each(EVERY_ACTION.map(({ name, params }) => ({ name, params })))("each param of $name", ({ params }) => {
    expect(unbounded(params).filter((path) => !BOUNDED_BY_MESSAGE.test(path))).toEqual([]);
  });

  test("each field of each event", async () => {
    const events = await everyEvent();
    expect(events.length).toBeGreaterThan(5);
    const found = events.flatMap(({ name, payload }) => unbounded(payload).map((path) => `${name}: ${path}`));
    expect(found).toEqual([]);
  });
});
