import { describe, expect, test } from "@jest/globals";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { until } from "../../../test/harness/until.ts";
import { responsesOf, postRequest } from "../../../test/harness/web-service.ts";
import type { Caller } from "../../contracts/contract.ts";
import { requestHandler, type RequestHandlerOptions } from "../request-handler.ts";

const service: Caller = { keyId: "s", kind: "service", access: "read", guilds: [] };
const admitted = { caller: service, standings: [] };

describe("concurrent lists of a key", () => {
  test("are at most eight over all its guilds; other requests do not count", async () => {
    const { promise, resolve } = Promise.withResolvers<object[]>();
    let [lists, gets] = [0, 0];
    const call: RequestHandlerOptions["call"] = ({ contract: { name } }) => {
      if (!name.endsWith(".list")) return Promise.resolve((gets += 1)).then(() => null);
      lists += 1;
      return promise;
    };
    const respond = responsesOf(
      requestHandler({
        knownPaths: [],
        runIdempotently: (_request, perform) => perform(newWriteId()),
        admission: { admit: async () => admitted, admitToGuild: () => admitted },
        clock: { now: () => 0 },
        onDefect: () => undefined,
        call,
      }),
    );
    const request = (path: string, guild: number) =>
      respond(
        postRequest(path, { guild_id: `${guild}`, ...(path.endsWith("list") ? { amount: 1 } : { id: "x" }) }),
        "id",
      );
    const responses = Array.from({ length: 20 }, (_, guild) => request("/v1/announcement/list", guild + 1));
    await until(() => lists === 8, "eight are under way");
    await request("/v1/announcement/get", 50);
    expect([lists, gets]).toEqual([8, 1]);
    resolve([]);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200));
  });
});
