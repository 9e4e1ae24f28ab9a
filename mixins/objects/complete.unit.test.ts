import { describe, expect, test } from "@jest/globals";
import { complete } from "./complete.ts";
import { definedFields } from "./defined-fields.ts";

interface Post {
  readonly id: string;
  readonly channel: string;
  readonly reason?: string;
  readonly lateMs?: number;
}

const required = { id: "p", channel: "c" };

describe("an object that is built from all fields of its type", () => {
  test("is the given object", () => {
    const given = { ...required, reason: "late", lateMs: 5 };
    expect(complete<Post>()(given)).toBe(given);
  });

  test("may lack optional fields that are named", () => {
    const lateMs: number | undefined = undefined;
    expect(complete<Post>()({ ...required, ...definedFields({ reason: "late", lateMs }) })).toEqual({
      ...required,
      reason: "late",
    });
  });

  test("does not compile without a field, with an unknown one, or with a value of another type", () => {
    const posts = [
      // @ts-expect-error A required field is not named.
      complete<Post>()({ id: "p", reason: "late", lateMs: 5 }),
      // @ts-expect-error An optional field is not named.
      complete<Post>()({ ...required, reason: "late" }),
      // @ts-expect-error A required field may be absent.
      complete<Post>()({ id: "p", ...definedFields({ channel: "c" }), reason: "late", lateMs: 5 }),
      // @ts-expect-error An optional field is undefined.
      complete<Post>()({ ...required, reason: undefined, lateMs: 5 }),
      // @ts-expect-error A field is unknown.
      complete<Post>()({ ...required, reason: "late", lateMs: 5, sink: "log" }),
      // @ts-expect-error A value has another type.
      complete<Post>()({ ...required, reason: "late", lateMs: "5" }),
    ];
    expect(posts).toHaveLength(6);
  });
});

describe("the defined fields of an object", () => {
  test("are those with a value, also null, 0 and an empty text", () => {
    const fields = { a: undefined, b: null, c: 0, d: "", e: false };
    expect(Object.keys(definedFields(fields))).toEqual(["b", "c", "d", "e"]);
  });
});
