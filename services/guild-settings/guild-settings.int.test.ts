import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import type { Caller } from "../contracts/contract.ts";
import {
  getGuildSettings,
  guildSettingsChanged,
  type GuildSettingsChanged,
  guildSettingsChangesSince,
  updateGuildSettings,
} from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "./guild-settings.service.ts";

const guildId = "375357265198317579" as GuildId;
const fromTheBeginning = { mark: { at: 0, id: "" }, limit: 100 };

describe("guild settings on the bus", () => {
  let services: TestServices;
  const received: GuildSettingsChanged[] = [];

  beforeAll(async () => {
    const listener = {
      name: "listener",
      events: {
        [guildSettingsChanged.name]: ({ params }: { params: GuildSettingsChanged }) => void received.push(params),
      },
    };
    services = await startTestServices((mongoUrl) => [guildSettingsService({ mongoUrl })], [listener]);
  });
  afterAll(() => services.stop());

  test("a guild never seen has the defaults and writes nothing (D9)", async () => {
    await expect(services.call(getGuildSettings, { guildId })).resolves.toMatchObject({ lang: "ENGLISH", revision: 0 });
    await expect(services.call(guildSettingsChangesSince, fromTheBeginning)).resolves.toMatchObject({ changes: [] });
  });

  test("an update is stored, broadcast, and in the change feed", async () => {
    await services.call(updateGuildSettings, { guildId, prefix: "?", lang: "JAPANESE" });
    await expect(services.call(getGuildSettings, { guildId })).resolves.toMatchObject({
      prefix: "?",
      lang: "JAPANESE",
    });
    const { changes, mark } = await services.call(guildSettingsChangesSince, fromTheBeginning);
    expect(changes).toMatchObject([{ id: guildId, guildId, revision: 1, deleted: false }]);
    await expect(services.call(guildSettingsChangesSince, { mark, limit: 100 })).resolves.toEqual({
      changes: [],
      mark,
      more: false,
    });
    expect(received).toEqual([{ guildId, revision: 1 }]);
  });

  test("settings that a request has changed are read without the stored origin of the change", async () => {
    const params = { guildId: "3" as GuildId };
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const before = await services.call(getGuildSettings, params);
    const meta = { requestId: "r-1", traceparent };
    await services.call(updateGuildSettings, { ...params, prefix: "?" }, meta);
    await expect(services.call(getGuildSettings, params)).resolves.toEqual({ ...before, prefix: "?", revision: 1 });
    await services.call(updateGuildSettings, { ...params, prefix: "#" }, meta);
    await expect(services.call(getGuildSettings, params)).resolves.toEqual({ ...before, prefix: "#", revision: 2 });
  });

  test("forty concurrent updates are all stored, and none is lost", async () => {
    const other = "1" as GuildId;
    const prefixes = Array.from({ length: 40 }, (_, at) => `p${at}`);
    await Promise.all(prefixes.map((prefix) => services.call(updateGuildSettings, { guildId: other, prefix })));
    await expect(services.call(getGuildSettings, { guildId: other })).resolves.toMatchObject({ revision: 40 });
  });

  test("the owner refuses bad params, names each field, and stores nothing", async () => {
    const bad = { guildId: "2" as GuildId, prefix: "a b", maxCalendars: 0, twelveHour: "yes" as never };
    await expect(services.call(updateGuildSettings, bad)).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      code: 400,
      data: { problems: [{ field: "prefix" }, { field: "maxCalendars" }, { field: "twelveHour" }] },
    });
    await expect(services.call(getGuildSettings, { guildId: bad.guildId })).resolves.toMatchObject({ revision: 0 });
  });

  test("an operator field is refused for a guild key, over the bus too (D11)", async () => {
    const caller: Caller = { keyId: "k", kind: "guild", access: "write", guilds: [guildId] };
    await expect(services.call(updateGuildSettings, { guildId, maxCalendars: 9 }, { caller })).rejects.toMatchObject({
      type: "OPERATOR_ONLY",
      code: 403,
    });
  });
});
