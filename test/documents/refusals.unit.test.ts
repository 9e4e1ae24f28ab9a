import { describe, expect, test } from "@jest/globals";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { refusalsInSources } from "./bus-reference.ts";

describe("the refusals in the contracts", () => {
  test.each(SERVICES)("of the actions of %s are in the sources, and contain every refusal of its sources", (owner) => {
    const own = EVERY_ACTION.filter(({ name }) => name.startsWith(`${owner}.`));
    const listed = new Set(own.flatMap(({ refusals = [] }) => refusals));
    const anywhere = new Set(SERVICES.flatMap((service) => refusalsInSources(service)));
    expect([...listed].filter((code) => !anywhere.has(code))).toEqual([]);
    expect(refusalsInSources(owner).filter((code) => !listed.has(code))).toEqual([]);
  });
});
