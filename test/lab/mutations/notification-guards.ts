import type { TestedGuard } from "./guard.ts";

const stored = {
  file: "services/webhooks/protocol/store-notifications.ts",
  testFile: "services/webhooks/protocol/store-notifications.mongo.test.ts",
  needsServers: true,
} as const;
const delivery = {
  testFile: "services/webhooks/domain/occurrence-delivery.unit.test.ts",
} as const;

/** Guards of the notifications of occurrences (D59): once, from when, bounds and order. */
export const NOTIFICATION_GUARDS: readonly TestedGuard[] = [
  {
    ...stored,
    guard: "a notification is stored once for a webhook",
    in: "storeFor",
    code: "!$_.has($_)",
    without: "true",
    test: "are stored once for each webhook",
  },
  {
    ...stored,
    guard: "a notification is stored only for a webhook that had its type at its instant",
    in: "storeFor",
    code: "if (isNotifiedOf($_, $_)) $STORED;",
    without: "$STORED;",
    test: "are not stored for a webhook that got the type after their instant",
  },
  {
    ...stored,
    guard: "a webhook has a bounded number of pending notifications",
    in: "storeFor",
    code: "$_ >= $_",
    without: "false",
    test: "beyond the maximum of pending deliveries are stored as failed",
  },
  {
    ...delivery,
    file: "services/webhooks/domain/notified-since.ts",
    guard: "a webhook is notified from the time at which it has the type",
    in: "isNotifiedOf",
    code: "$_ >= $_",
    without: "true",
    test: "from the time at which it has the type, and not before",
  },
  {
    ...delivery,
    guard: "a notification follows the earlier deliveries about its event",
    file: "services/webhooks/domain/delivery.ts",
    in: "sendable",
    code: "$_ !== undefined && $_.has($_)",
    without: "false",
    test: "wait for earlier deliveries about their event",
  },
  {
    guard: "a start is notified after the end of its event, too",
    file: "services/dispatch/domain/plan/fire-time.ts",
    in: "deadlineOf",
    code: "$_.mayFollowEvent === true",
    without: "false",
    testFile: "services/dispatch/domain/notification/notification-rule.unit.test.ts",
    test: "may be an hour late",
  },
  {
    guard: "a notification that was sent is not listed as missed",
    file: "services/contracts/occurrence-notifications.contract.ts",
    in: "MISSED_STATES",
    code: '["missed", $$$OTHERS]',
    without: '["sent", "missed", $$$OTHERS]',
    testFile: "services/dispatch/queries/missed-notifications.mongo.test.ts",
    needsServers: true,
    test: "are those that were missed, failed or are in doubt",
  },
  {
    guard: "a guild without a webhook for occurrences is not planned for them after a broadcast",
    file: "services/dispatch/notifications/occurrence-notifier.ts",
    in: "newOccurrenceNotifier",
    code: "$_.has($_.guildId)",
    without: "true",
    testFile: "services/dispatch/notifications/occurrence-notifier.unit.test.ts",
    test: "without a webhook for occurrences costs nothing",
  },
  {
    guard: "occurrences with the longest texts are encoded in one request",
    file: "services/contracts/occurrence-notifications.contract.ts",
    in: "MAX_ENCODED_OCCURRENCES",
    code: "6",
    without: "16",
    testFile: "services/webhooks/protocol/encoded-occurrences.unit.test.ts",
    test: "with the longest texts as are encoded in one call are sent in one request",
  },
];
