import { expect, test } from "@jest/globals";
import { asError } from "../../../mixins/actions/contract-action.ts";
import { sampleOccurrence } from "../../../test/fixtures/dispatch-samples.ts";
import { refuse } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { notificationRule, renderNotification } from "../domain/notification/notification-rule.ts";
import { notificationSink } from "./notification-sink.ts";

const announcement = notificationRule("1" as GuildId, "occurrence.started", 0);
const [message] = renderNotification({ announcement, occurrence: sampleOccurrence() });
const outgoing = { postId: "p", part: 0, nonce: "n", guildId: "1", channel: "", message: message! };

test("a notification is sent once the webhooks have stored it, and again after any failure but a refusal", async () => {
  const calls: unknown[] = [];
  const answering = (respond: () => Promise<unknown>) =>
    notificationSink({
      call(action, params) {
        calls.push([action, params]);
        return respond();
      },
    }).send(outgoing, 5_000);
  expect(await answering(async () => ({ amount: 0 }))).toEqual({ kind: "sent", messageId: "n" });
  expect(calls).toMatchObject([["webhooks.deliverOccurrence", { guildId: "1", key: "n", type: "occurrence.started" }]]);
  const timeout = await answering(() => Promise.reject(new Error("Request is timed out")));
  expect(timeout).toMatchObject({ kind: "retry", reason: expect.stringContaining("timed out") });
  const refused = await answering(() => Promise.reject(asError(refuse("INVALID_REQUEST"))));
  expect(refused).toMatchObject({ kind: "rejected", scope: "payload" });
});
