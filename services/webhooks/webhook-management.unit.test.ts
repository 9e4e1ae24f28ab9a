import { expect, test } from "@jest/globals";
import { secretBox } from "./secret-box.ts";
import { isAllowedUrl } from "../../mixins/http/target-guard.ts";
import { webhookManagement } from "./webhook-management.ts";
import type { GuildId } from "../contracts/ids.ts";

const guildId = "1" as GuildId;

test("a webhook with a forbidden address is neither created nor changed, and the error names the field", async () => {
  const notUsed = {} as never;
  const management = webhookManagement({
    webhooks: notUsed,
    deliveries: notUsed,
    secrets: secretBox("a key"),
    clock: { now: () => 0 },
    isAllowedUrl: (url) => isAllowedUrl(url, false),
  });
  const refused = { refusal: "INVALID_REQUEST", problems: [{ field: "url", code: "NOT_ALLOWED" }] };
  for (const url of ["http://bot.example/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/meta"]) {
    expect(await management.create({ guildId, url, types: ["event.created"] })).toMatchObject(refused);
    expect(await management.update({ guildId, id: "w", url })).toMatchObject(refused);
  }
});

test("a private address is accepted where private addresses are allowed, and http to a public one never", () => {
  const urls = ["http://127.0.0.1/", "https://bot.example/", "https://1.1.1.1/", "http://1.1.1.1/"];
  expect(urls.map((url) => isAllowedUrl(url, true))).toEqual([true, true, true, false]);
});
