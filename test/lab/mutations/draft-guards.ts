import type { TestedGuard } from "./guard.ts";

const diff = {
  testFile: "services/dispatch/queries/diff-plan.unit.test.ts",
  test: "is what the plan does when the drafts are stored",
};
const store = { ...diff, file: "services/calendar-events/drafts/draft-store.ts" };
const drafts = { testFile: "services/dispatch/queries/preview-drafts.unit.test.ts" };
const dryRun = { testFile: "services/api/dry-run.unit.test.ts" };
const pages = {
  testFile: "services/dispatch/queries/upcoming-window.unit.test.ts",
  test: "are in their pages those of a plan of 366 days",
};

/** Guards of drafts and of posts ahead of the plan (D57, D58). */
export const DRAFT_GUARDS: readonly TestedGuard[] = [
  {
    ...store,
    guard: "a drafted move counts from the time of the request",
    in: "timesOf",
    property: "scheduledAt: $_ === true ? $NOW : $SINCE",
    without: "scheduledAt: $SINCE",
  },
  {
    ...store,
    guard: "a drafted split keeps the changed occurrences of the first part",
    in: "overridesBefore",
    code: "$ORIGINAL < $FROM",
    without: "false",
    test: "of a split series has no post whose occurrence was changed",
  },
  {
    ...diff,
    file: "services/calendar-events/drafts/list-drafted.ts",
    guard: "the occurrences of a changed event are not read as unchanged ones",
    in: "unchangedOthers",
    code: "$LIST.filter($_)",
    without: "$LIST",
  },
  {
    ...diff,
    file: "services/dispatch/domain/diff/compare-plans.ts",
    guard: "a post that only gets another id by a split does not appear again",
    in: "subjects",
    code: "$_.get($_) ?? $ID",
    without: "$ID",
  },
  {
    ...drafts,
    file: "services/dispatch/queries/drafted-guild.ts",
    guard: "the first change that any owner refuses is named",
    in: "makeChanges",
    code: "isRefusedDraft($MADE) ? $MADE : $REFUSED",
    without: "$REFUSED",
    test: "are refused as the first change that an owner refuses",
  },
  {
    ...drafts,
    file: "services/guild-settings/domain/drafted-settings.ts",
    guard: "a draft of an operator's field needs an operator key",
    in: "draftedSettings",
    code: "changeSettings($STORED, $FIELDS, $_)",
    without: "changeSettings($STORED, $FIELDS, true)",
    test: "are refused as the first change that an owner refuses",
  },
  {
    ...drafts,
    file: "services/announcements/domain/drafted-announcements.ts",
    guard: "drafts have at most as many announcements as a guild",
    in: "draftedAnnouncements",
    code: "$_ >= MAX_ANNOUNCEMENTS",
    without: "false",
    test: "are refused beyond the numbers",
  },
  {
    ...store,
    ...drafts,
    guard: "drafts have at most as many events as a guild",
    in: "reserve",
    code: "$_ + $_ < $_",
    without: "true",
    test: "are refused beyond the numbers",
  },
  {
    file: "services/calendar-events/drafts/make-drafts.ts",
    guard: "drafts of events are refused in a calendar that follows an address",
    in: "makeDrafts",
    code: "if ($FOLLOWED !== undefined) return $FOLLOWED;",
    without: "",
    testFile: "services/calendar-events/drafts/make-drafts.unit.test.ts",
    test: "are refused in a calendar that follows an address",
  },
  {
    ...dryRun,
    guard: "a write with dry_run is not performed (D64)",
    file: "services/api/route.ts",
    in: "routeFor",
    code: "$BODY[DRY_RUN] === true",
    without: "false",
    test: "is a comparison of plans with this one change",
  },
  {
    ...dryRun,
    guard: "a dry run needs a key that may write (D64)",
    file: "services/api/request-handler.ts",
    code: "mayCall($ROUTE, $PARAMS, $CALLER)",
    without: "mayCall($ROUTE.contract, $PARAMS, $CALLER)",
    test: "needs a key that may write",
  },
  {
    ...dryRun,
    guard: "a dry run compares the revision of If-Match (D64)",
    file: "services/api/request-handler.ts",
    code: "$ROUTE.toParams($DECODED, $_)",
    without: "$ROUTE.toParams($DECODED)",
    test: "compares the revision of If-Match",
  },
  {
    ...dryRun,
    guard: "a refusal of a dry run names the fields of the write (D64)",
    file: "services/api/dry-run.ts",
    in: "ofWrite",
    code: "$PATH.replace($_, $_)",
    without: "$PATH",
    test: "is refused with the text and the fields of the write",
  },
  {
    ...pages,
    file: "services/dispatch/queries/upcoming-window.ts",
    guard: "a page of posts ahead ends where they were computed",
    in: "upcomingWindow",
    code: "comparePositions($$$) < 0",
    without: "true",
  },
  {
    ...pages,
    file: "services/dispatch/queries/compute-posts.ts",
    guard: "a part with too many occurrences is divided",
    in: "readPart",
    code: "$_ > MIN_PART_MS && $_",
    without: "false",
  },
];
