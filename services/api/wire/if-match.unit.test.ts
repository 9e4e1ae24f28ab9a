import { describe, expect, test } from "@jest/globals";
import { etagOf, readIfMatch, refuseIfMatch } from "./if-match.ts";

const read = (header: string) => readIfMatch({ "if-match": header });

describe("the header If-Match (RFC 9110 section 13.1.1)", () => {
  test.each([
    ['"5"', ["5"]],
    ['"5", "6.2"', ["5", "6.2"]],
    [' "5" ,, "6"\t,', ["5", "6"]],
    ['W/"5"', []],
    ['W/"5", "6"', ["6"]],
    ['"of-another-server"', []],
    ['"', undefined],
    ['"a,b", "5"', ["5"]],
    ['"with a blank"', undefined],
    ["5", undefined],
    ["", undefined],
    [",", undefined],
    ['"5" "6"', undefined],
    ['"5", *', undefined],
    ['w/"5"', undefined],
    ['"a\u0000"', undefined],
  ])("%p has the revisions %p; undefined is a malformed header, which is refused with 400", (header, named) => {
    const { ifRevision, problems } = read(header);
    expect(ifRevision).toEqual(named);
    expect(problems.map(({ field, code }) => [field, code])).toEqual(
      named === undefined ? [["If-Match", "MALFORMED"]] : [],
    );
  });

  test("of *, like no header, is no precondition", () => {
    expect([readIfMatch({}), read("*"), read(" * ")].map(({ ifRevision }) => ifRevision)).toEqual(
      Array.from({ length: 3 }, () => undefined),
    );
    expect(read(" * ").problems).toEqual([]);
  });

  test("has at most 20 entity tags", () => {
    const tags = (count: number) => read(Array.from({ length: count }, (_, at) => `"${at}"`).join(", "));
    expect(tags(20).ifRevision).toHaveLength(20);
    expect(tags(21).problems).toMatchObject([{ field: "If-Match", code: "TOO_MANY" }]);
  });

  test("is refused with 400 by endpoints that compare no revision", () => {
    expect(refuseIfMatch({ "if-match": "*" }).problems).toMatchObject([{ field: "If-Match", code: "NOT_ALLOWED" }]);
    expect(refuseIfMatch({}).problems).toEqual([]);
  });
});

describe("an ETag", () => {
  test("is the revision between quotation marks, and is parsed as that revision", () => {
    expect([etagOf({ revision: 7 }), etagOf({ revision: "7.2" })]).toEqual(['"7"', '"7.2"']);
    expect(read(etagOf({ revision: "7.2" }) as string).ifRevision).toEqual(["7.2"]);
  });

  test("is absent without a revision in the result", () => {
    expect([etagOf({}), etagOf(undefined), etagOf(null)]).toEqual([undefined, undefined, undefined]);
  });
});
