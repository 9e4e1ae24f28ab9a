import { offsetText, type Post } from "../../../services/dispatch/domain/post/post.ts";
import type { Evidence } from "./evidence.ts";
import type { History } from "./simulated-owners.ts";

/** Lists the events of a run in the order of time, for finding the cause of a broken promise. */
export function eventLogOf({
  start,
  record,
  owners,
  receiver,
}: Pick<Evidence, "start" | "record" | "owners" | "receiver">) {
  const lines: [number, string][] = [
    ...record.faults.map(({ from, until, sink = "", isDrain = false }): [number, string] => [
      from + start,
      `${isDrain ? "a replica stops," : `fault ${sink}`} until ${seconds(until)}`,
    ]),
    ...receiver.refused.map(({ at, postId, reason }): [number, string] => [at, `REFUSED ${postId}: ${reason}`]),
    ...record.haltedResponses.map(({ at, owner, sink }): [number, string] => [at, `HALTED ${sink} for ${owner}`]),
    ...record.writes.map(({ at, before, after }): [number, string] => [at, writeLine(before, after, start)]),
    ...receiver.visible.map(({ at, postId, part }): [number, string] => [at, `VISIBLE ${postId} part ${part}`]),
    ...receiver.visible.flatMap(({ postId, part, contents, goneAt, removedAt, editsWhenGone }): [number, string][] => [
      ...contents.slice(1).map(({ at, content }): [number, string] => [at, `EDITED ${postId}: ${content}`]),
      ...editsWhenGone.map((at): [number, string] => [at, `EDIT OF DELETED ${postId}`]),
      ...(goneAt === undefined ? [] : [goneLine(postId, part, goneAt, removedAt)]),
    ]),
    ...contentLines(
      owners.announcements,
      ({ enabled, minutes, offsets, channel, type, skipOn, cleanUp, standsSince }) =>
        [
          type,
          enabled ? "on" : "off",
          offsets === undefined ? `${minutes} min before` : offsets.map(offsetText).join(" "),
          `in ${channel}`,
          ...(skipOn === undefined ? [] : ["not on holidays"]),
          ...(cleanUp === undefined ? [] : [`deleted ${cleanUp} min after the end`]),
          `since ${seconds(standsSince - start)}`,
        ].join(" "),
    ),
    ...contentLines(
      owners.holidays,
      ({ startsAt, endsAt }) => `a holiday from ${seconds(startsAt - start)} until ${seconds(endsAt - start)}`,
    ),
    ...contentLines(
      owners.occurrences,
      ({ startsAt, endsAt, color, scheduledAt, endSetAt = scheduledAt, coloredAt, createdAt = 0 }) =>
        [
          `at ${seconds(startsAt - start)}`,
          color,
          `set ${seconds(scheduledAt - start)}`,
          seconds(coloredAt - start),
          `ends ${seconds(endsAt - start)} set ${seconds(endSetAt - start)} created ${seconds(createdAt - start)}`,
        ].join(" "),
    ),
  ];
  return lines.sort(([one], [other]) => one - other).map(([at, line]) => `${seconds(at - start)}  ${line}`);
}

function goneLine(postId: string, part: number, goneAt: number, removedAt: number | undefined): [number, string] {
  return [goneAt, `DELETED ${postId} part ${part} by ${removedAt === undefined ? "somebody" : "dispatch"}`];
}

function contentLines<Content>(
  histories: Map<string, History<Content>>,
  say: (content: Content) => string,
): [number, string][] {
  return [...histories].flatMap(([id, history]) =>
    history.map(({ visibleAt, content }): [number, string] => [
      visibleAt,
      `${id} is ${content === null ? "gone" : say(content)}`,
    ]),
  );
}

function writeLine(before: Post | undefined, after: Post, start: number): string {
  const { id, state, fence, owner, reason, dueAt, wakeAt, crashes, stepDue, steps } = after;
  const step = stepDue === true ? "step due" : (steps?.at(-1)?.step ?? "");
  const times = `due ${seconds(dueAt - start)} wakes ${seconds(wakeAt - start)}`;
  return `${id} ${before?.state ?? "new"} → ${state} fence ${fence} ${times} crashes ${crashes} ${step} ${owner ?? ""} ${reason ?? ""}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
