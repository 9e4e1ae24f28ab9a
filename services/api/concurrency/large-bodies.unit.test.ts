import { Readable } from "node:stream";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { responsesOf } from "../../../test/harness/web-service.ts";
import type { Caller } from "../../contracts/contract.ts";
import { ClientDisconnected } from "../http/request-body.ts";
import { requestHandler, type RequestHandlerOptions } from "../request-handler.ts";

const caller: Caller = { keyId: "k", kind: "guild", access: "write", guilds: ["1"] };
const admitted = { caller, standings: [] };
const HEADERS = { authorization: "key", "content-type": "application/json" };

function asMessage(body: Readable, url: string, headers: Readonly<Record<string, string>> = HEADERS): IncomingMessage {
  return Object.assign(body, { method: "POST", url, headers }) as unknown as IncomingMessage;
}

/** A gateway whose actions only run `call`; a defect throws. */
function gateway(call: RequestHandlerOptions["call"]) {
  return responsesOf(
    requestHandler({
      knownPaths: [],
      runIdempotently: (_request, perform) => perform(newWriteId()),
      admission: { admit: async () => admitted, admitToGuild: () => admitted },
      clock: { now: () => 0 },
      call,
      onDefect(error) {
        throw error;
      },
    }),
  );
}

describe("a request body", () => {
  test.each(["CALENDAR_NOT_FOUND", "?"])(
    "with a member `refusal` of %j is not taken for a refusal of the gateway",
    async (refusal) => {
      const respond = gateway(async () => []);
      const body = JSON.stringify({ guild_id: "1", amount: 1, refusal, message: "not ours" });
      const message = asMessage(Readable.from([Buffer.from(body)]), "/v1/announcement/list");
      await expect(respond(message, "id-1")).resolves.toMatchObject({ status: 200 });
    },
  );

  test("whose connection was lost before it was read keeps no memory", async () => {
    const respond = gateway(async () => []);
    const headers = { ...HEADERS, "content-length": "65000" };
    for (let lost = 0; lost < 100; lost += 1) {
      const body = new Readable({ read: () => undefined });
      body.destroy();
      await new Promise((resolve) => body.once("close", resolve));
      const message = asMessage(body, "/v1/announcement/update", headers);
      await expect(respond(message, "id-1")).rejects.toThrow(ClientDisconnected);
    }
  });

  test("of the largest size is accepted beside 63 others of a guild; one more is refused with 429 and changes nothing", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<object>();
    let begun = 0;
    const respond = gateway(async () => ((begun += 1), over));
    const send = (id: string) => {
      const body = Buffer.from(JSON.stringify({ guild_id: "1", id, info: "" }));
      return respond(asMessage(Readable.from([body]), "/v1/announcement/update"), "id-1");
    };
    const responses = Array.from({ length: 70 }, () => send("x".repeat(65_400)));
    await expect(Promise.race(responses)).resolves.toMatchObject({ status: 429 });
    const small = send("x");
    end({ revision: 1 });
    const statuses = await Promise.all([...responses, small].map(async (each) => (await each).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    expect(begun).toBe(65);
    await expect(send("x".repeat(65_400))).resolves.toMatchObject({ status: 200 });
  });

  test("is refused with 429 and not read while 64 bodies of the largest size arrive for its key", async () => {
    const respond = gateway(async () => []);
    const arriving = () => {
      const body = new Readable({ read: () => undefined });
      const headers = { ...HEADERS, "content-length": "65536" };
      return { body, answered: respond(asMessage(body, "/v1/announcement/get", headers), "id-1") };
    };
    const all = Array.from({ length: 65 }, arriving);
    await expect(all[64]!.answered).resolves.toMatchObject({ status: 429 });
    for (const { body } of all) {
      body.push("{}");
      body.push(null);
    }
    const statuses = await Promise.all(all.map(async ({ answered }) => (await answered).status));
    expect(statuses.slice(0, 64)).toEqual(Array.from({ length: 64 }, () => 400));
  });
});
