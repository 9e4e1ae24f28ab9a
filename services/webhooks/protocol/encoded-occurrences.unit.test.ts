import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import { MAX_REQUEST_BYTES } from "../../../mixins/bus/packet-limits.ts";
import { perText, TEXT_LIMITS } from "../../contracts/calendar-events.contract.ts";
import { MAX_ENCODED_OCCURRENCES } from "../../contracts/occurrence-notifications.contract.ts";

/** The encoder with the options of Moleculer. */
const { Encoder } = createRequire(import.meta.url)("cbor-x") as {
  Encoder: new (options: object) => { encode(value: unknown): Buffer };
};
const codec = new Encoder({ useRecords: false, useTag259ForMaps: false });

/** Bytes of a request beside the texts: ids, times and Moleculer's fields, generously. */
const OTHER_BYTES = 8_192;

test("as many occurrences with the longest texts as are encoded in one call are sent in one request", () => {
  const longest = perText((name) => "祭".repeat(TEXT_LIMITS[name]));
  const occurrences = Array.from({ length: MAX_ENCODED_OCCURRENCES }, () => longest);
  expect(codec.encode({ occurrences }).length + OTHER_BYTES).toBeLessThan(MAX_REQUEST_BYTES);
});
