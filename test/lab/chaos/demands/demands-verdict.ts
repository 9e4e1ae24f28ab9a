import { dateOfDigest } from "../../../../services/contracts/announcement-digests.ts";
import type { SettledPost } from "../../../../services/contracts/dispatch.contract.ts";
import { LATE_WITH_REASON_MS } from "../../../../services/dispatch/domain/post/late-reason.ts";
import type { PostedMessage } from "../../../harness/chat-server/channels.ts";
import type { Verdict } from "../verdict.ts";
import { wasDeletedAgainstRule, wasDeletedEarly, wasLeft } from "./deleted-messages.ts";
import type { DemandedPost } from "./demanded-posts.ts";
import type { GuildRecords } from "./records.ts";

/** The messages and the history of a guild at the end of a run, beside the posts that are demanded. */
export interface GuildEvidence {
  readonly guild: GuildRecords;
  readonly demands: readonly DemandedPost[];
  readonly history: readonly SettledPost[];
  /** All messages that the chat server accepted, also those that were deleted by a person or by the bot. */
  readonly messages: readonly PostedMessage[];
  /** Number of requests that edit a message, after the first that was refused because it was deleted, by message. */
  readonly editsWhenGone: ReadonlyMap<string, number>;
  /** Posts that are due later are not judged. */
  readonly endAt: number;
}

export interface DemandsVerdict extends Verdict {
  /** Posts that a pause has skipped, and how many must be skipped by one. */
  readonly paused: number;
  readonly certainlyPaused: number;
  readonly digests: number;
  /** Why the latest of the sent posts was late; empty if it was in time. */
  readonly lateReason: string;
  /** Edits that the chat server accepted. */
  readonly edits: number;
  /** A sentence for each further promise that was broken. */
  readonly broken: readonly string[];
}

/** Edits of a deleted message after the first response that said so: the worker that had it may have been killed before it wrote. */
const MAX_EDITS_WHEN_GONE = 2;

/** Compares what was posted, edited and recorded with the posts that the acknowledged writes demand. */
export function verdictOnDemands(all: readonly GuildEvidence[]): DemandsVerdict {
  const found = all.map(findingsIn);
  const list = (name: keyof Findings) => found.flatMap((findings) => findings[name]);
  const sentence = (name: keyof Findings, what: string) => {
    const [first] = list(name);
    return first === undefined ? [] : [`${list(name).length} ${what} (${first})`];
  };
  const sent = all.flatMap(({ history }) => history.filter(({ state }) => state === "sent"));
  const [latest] = sent.toSorted((one, other) => (other.lateMs ?? 0) - (one.lateMs ?? 0));
  const judged = all.flatMap(({ demands, endAt }) => demands.filter((each) => isJudged(each, endAt)));
  return {
    due: judged.length,
    sent: sent.length,
    doubled: list("doubled").length,
    lost: list("lost").length,
    early: list("early").length,
    unexplained: list("unexplained").length,
    worstMs: Math.round(latest?.lateMs ?? 0),
    lateReason: latest?.reason ?? "",
    certainlyPaused: judged.filter(({ isPaused }) => isPaused === "yes").length,
    paused: all.flatMap(({ history }) => history.filter(({ reasonCode }) => reasonCode === "PAUSED")).length,
    digests: sent.filter(({ eventId }) => dateOfDigest(eventId) !== undefined).length,
    edits: all.flatMap(({ messages }) => messages).reduce((sum, { edits = 0 }) => sum + edits, 0),
    broken: [
      ...sentence("doubled", "doubled"),
      ...sentence("lost", "lost"),
      ...sentence("early", "early"),
      ...sentence("unexplained", "late or unsent without a reason"),
      ...sentence("unexpected", "that nothing demands"),
      ...sentence("againstPause", "against a pause"),
      ...sentence("falseSkips", "skipped without a pause"),
      ...sentence("outdated", "messages with another state than the last"),
      ...sentence("keptEdited", "messages edited that are kept"),
      ...sentence("editedWhenGone", "edited after they were deleted"),
      ...sentence("deletedEarly", "deleted before their instant"),
      ...sentence("keptDeleted", "messages deleted that are kept"),
      ...sentence("left", "messages left after their instant"),
      ...kindsUnseen(all).map((kind) => `no ${kind} was seen`),
    ],
  };
}

interface Findings {
  readonly doubled: readonly string[];
  readonly lost: readonly string[];
  readonly early: readonly string[];
  readonly unexplained: readonly string[];
  readonly unexpected: readonly string[];
  readonly againstPause: readonly string[];
  readonly falseSkips: readonly string[];
  readonly outdated: readonly string[];
  readonly keptEdited: readonly string[];
  readonly editedWhenGone: readonly string[];
  readonly deletedEarly: readonly string[];
  readonly keptDeleted: readonly string[];
  readonly left: readonly string[];
}

function isJudged({ dueAt, isDemanded }: DemandedPost, endAt: number): boolean {
  return isDemanded === "yes" && dueAt <= endAt;
}

function findingsIn(evidence: GuildEvidence): Findings {
  const { guild, demands, history, messages, editsWhenGone, endAt } = evidence;
  const byId = new Map(messages.map((message) => [message.id, message]));
  const demandOf = new Map(history.map((row) => [row, demands.find((demand) => isOf(row, demand))]));
  const sent = history.filter(({ state }) => state === "sent");
  const judged = demands
    .filter((demand) => isJudged(demand, endAt))
    .map((demand) => ({ demand, rows: history.filter((row) => isOf(row, demand)) }));
  const announcements = new Map(guild.announcements.map((each) => [each.announcementId, each]));
  const shown = sent.flatMap((row) => {
    const message = byId.get(row.messageId ?? "");
    const announcement = announcements.get(row.announcementId);
    const event = guild.events.find(({ occurrenceId }) => occurrenceId === row.eventId);
    return message === undefined || announcement === undefined ? [] : [{ row, message, announcement, event }];
  });
  return {
    doubled: [...doubledMessages(sent, messages), ...doubledPosts(sent)],
    lost: judged.flatMap(({ demand, rows }) => {
      const row = outcomeIn(rows);
      const isPosted = row?.state !== "sent" || byId.has(row.messageId ?? "");
      if (row !== undefined && isPosted && hasTrueReason(row, demand)) return [];
      const { state = "no row", reason = "" } = row ?? {};
      return [`${textOf(demand)}: ${state} ${reason}`];
    }),
    early: shown
      .filter(({ row, message }) => message.receivedAt < row.dueAt)
      .map(({ row, message }) => `${rowText(row)}: ${row.dueAt - message.receivedAt} ms`),
    unexplained: history.filter(isUnexplained).map(rowText),
    unexpected: sent.filter((row) => demandOf.get(row) === undefined).map(rowText),
    againstPause: sent.filter((row) => demandOf.get(row)?.isPaused === "yes").map(rowText),
    falseSkips: history
      .filter((row) => {
        const demand = demandOf.get(row);
        return row.reasonCode === "PAUSED" && demand !== undefined && !hasTrueReason(row, demand);
      })
      .map((row) => `${rowText(row)}: ${row.reason}`),
    outdated: shown.flatMap(({ row, message, announcement }) => {
      if (!announcement.isEdited || guild.removed.has(message.id)) return [];
      const missing = missingIn(message, guild, row, announcement.info, endAt);
      return missing === undefined ? [] : [`${rowText(row)}: without ${missing}`];
    }),
    keptEdited: shown
      .filter(({ message, announcement }) => !announcement.isEdited && message.edits !== undefined)
      .map(({ row }) => rowText(row)),
    editedWhenGone: [...editsWhenGone]
      .filter(([, edits]) => edits > MAX_EDITS_WHEN_GONE)
      .map(([id, edits]) => `${id}: ${edits} times`),
    deletedEarly: shown.filter(wasDeletedEarly).map(({ row }) => rowText(row)),
    keptDeleted: shown.filter(wasDeletedAgainstRule).map(({ row }) => rowText(row)),
    left: shown.filter((each) => wasLeft(each, endAt)).map(({ row }) => rowText(row)),
  };
}

/**
 * The row with the outcome of a post. If the event moves after its creation was posted, its creation gets a second row, which is skipped;
 * and a plan that was cancelled may return. So the row of the message counts, then the one of a reason.
 */
function outcomeIn(rows: readonly SettledPost[]): SettledPost | undefined {
  return rows.find(({ state }) => state === "sent") ?? rows.find(({ state }) => state !== "cancelled") ?? rows[0];
}

/** The kinds of posts and steps that a run must have, so that it does not pass because nothing happened. */
function kindsUnseen(all: readonly GuildEvidence[]): string[] {
  const rows = all.flatMap(({ history }) => history);
  const sent = rows.filter(({ state }) => state === "sent");
  const hasSent = (wanted: SettledPost["anchor"], sign: number) =>
    sent.some(({ anchor, offsetMinutes = 0 }) => anchor === wanted && Math.sign(offsetMinutes) === sign);
  const hasStep = (wanted: string) => sent.some(({ steps = [] }) => steps.some(({ step }) => step === wanted));
  const seen = {
    "post before a start": hasSent("START", -1),
    "post after a start": hasSent("START", 1),
    "post before an end": hasSent("END", -1),
    "post after an end": hasSent("END", 1),
    "post at a creation": hasSent("CREATED", 0),
    "post after a creation": hasSent("CREATED", 1),
    "post at a change": hasSent("CHANGED", 0),
    "post after a change": hasSent("CHANGED", 1),
    digest: sent.some(({ eventId }) => dateOfDigest(eventId) !== undefined),
    "empty digest": rows.some(({ reasonCode }) => reasonCode === "DIGEST_EMPTY"),
    "post that must be paused": all.some(({ demands, endAt }) =>
      demands.some((demand) => isJudged(demand, endAt) && demand.isPaused === "yes"),
    ),
    "edited message": hasStep("EDITED"),
    "cancelled message": hasStep("CANCELLED"),
    "message deleted by a person": hasStep("GONE"),
    "message deleted after its event": hasStep("DELETED"),
  };
  return Object.entries(seen).flatMap(([kind, isSeen]) => (isSeen ? [] : [kind]));
}

/** Whether the outcome is the one that is demanded, or the post was still waiting when something else came to hold for it. */
function hasTrueReason(row: SettledPost, { announcement, deadline, isPaused, changedAt, pausedLaterAt }: DemandedPost) {
  const { state, reason = "", reasonCode, settledAt } = row;
  const wasWaiting = (at = Infinity) => settledAt >= at;
  if (state === "sent") return announcement.digest?.isEmpty !== true;
  if (reason === "") return false;
  if (state === "missed") return wasWaiting(deadline);
  if (reasonCode === "EVENT_CHANGED") return wasWaiting(changedAt);
  if (reasonCode === "DIGEST_EMPTY") return announcement.digest?.isEmpty === true;
  const mayBePaused = isPaused !== "no" || wasWaiting(pausedLaterAt);
  return state === "skipped" && reasonCode === "PAUSED" && reason.startsWith("paused until ") && mayBePaused;
}

/** Messages of no post that was sent, and further messages of one. */
function doubledMessages(sent: readonly SettledPost[], messages: readonly PostedMessage[]): string[] {
  const ids = new Set(sent.map(({ messageId }) => messageId));
  return messages
    .filter(({ id, author }) => author === "bot" && !ids.has(id))
    .map(({ channel, embeds }) => `"${String(embeds[0]?.["title"])}" in channel ${channel}`);
}

/** Posts that were sent twice: at two due instants, or the creation of one event. */
function doubledPosts(sent: readonly SettledPost[]): string[] {
  const groups = Map.groupBy(sent, ({ announcementId, eventId, anchor, offsetMinutes, startsAt, dueAt }) =>
    [announcementId, eventId, anchor, offsetMinutes, ...startOf(anchor, startsAt, dueAt)].join(" "),
  );
  return [...groups.values()].flatMap((rows) => rows.slice(1).map(rowText));
}

/** The end and the change are not in the history, but the due instant moves with them. */
function startOf(anchor: SettledPost["anchor"], startsAt: number, dueAt: number): readonly number[] {
  if (anchor === "CREATED") return [];
  if (anchor === "CHANGED") return [dueAt];
  return anchor === "END" ? [startsAt, dueAt] : [startsAt];
}

function isOf(row: SettledPost, { announcement, event, offset, startsAt, dueAt }: DemandedPost): boolean {
  if (row.announcementId !== announcement.announcementId || row.dueAt !== dueAt) return false;
  if (event === undefined || offset === undefined) return true;
  if (row.eventId !== event.occurrenceId) return false;
  if (!announcement.hasOffsets) return row.startsAt === startsAt;
  if (row.anchor !== offset.anchor || row.offsetMinutes !== offset.minutes) return false;
  return offset.anchor === "CREATED" || row.startsAt === startsAt;
}

function isUnexplained({ state, lateMs = 0, reason = "", reasonCode = "OTHER" }: SettledPost): boolean {
  if (state !== "sent") return reason === "";
  return lateMs > LATE_WITH_REASON_MS && reasonCode === "OTHER";
}

/** A part of the present state that the message does not show; undefined if it shows all, or if its event was over before the end. */
function missingIn(
  { embeds }: PostedMessage,
  { events }: GuildRecords,
  { eventId }: SettledPost,
  info: string,
  endAt: number,
): string | undefined {
  const versions = events.find(({ occurrenceId }) => occurrenceId === eventId)?.versions ?? [];
  if (versions.some(({ state }) => state !== null && state.endsAt <= endAt)) return undefined;
  const last = versions.at(-1);
  if (last === undefined) return undefined;
  const text = JSON.stringify(embeds);
  const { state } = last;
  const wanted =
    state === null
      ? ["~~", "Cancelled"]
      : [`"title":"${state.name}"`, timestamp(state.startsAt), timestamp(state.endsAt), ...(info === "" ? [] : [info])];
  return wanted.find((part) => !text.includes(part));
}

function timestamp(at: number): string {
  return `<t:${Math.floor(at / 1_000)}:F>`;
}

function textOf({ announcement, event, offset, dueAt, isPaused }: DemandedPost): string {
  const by = offset === undefined ? "digest" : `${offset.anchor} ${offset.minutes}`;
  const pause = isPaused === "no" ? "" : `, paused: ${isPaused}`;
  return `${event?.versions[0]?.state?.name ?? ""} in channel ${announcement.channel} by ${by} at ${dueAt}${pause}`;
}

function rowText({ channel, eventId, anchor, offsetMinutes = 0, dueAt, state }: SettledPost): string {
  return `${eventId} in channel ${channel} by ${anchor ?? "lead time"} ${offsetMinutes} at ${dueAt}, ${state}`;
}
