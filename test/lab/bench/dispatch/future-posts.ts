import { randomUUID } from "node:crypto";
import type { Connection } from "mongoose";
import type { AnnouncementId, GuildId, OccurrenceId } from "../../../../services/contracts/ids.ts";
import { postId, type Post } from "../../../../services/dispatch/domain/post/post.ts";
import { toRow } from "../../../../services/dispatch/store/post.document.ts";

const HOUR_MS = 3_600_000;
const AT_ONCE = 10_000;
const GUILDS = 10_000;

/** Plans posts that are due in the next two days, but not in the next hour: all of them lie ahead of a race. */
export async function planAhead(connection: Connection, count: number): Promise<void> {
  const posts = connection.collection<{ _id: string }>("posts");
  for (let at = 0; at < count; at += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, more) =>
      toRow(futurePost(at + more, count)),
    );
    await posts.insertMany(rows, { ordered: false });
  }
}

export async function clearAhead(connection: Connection): Promise<void> {
  await connection.collection("posts").deleteMany({ guildId: /^ahead/ });
}

function futurePost(at: number, count: number): Post {
  const dueAt = Date.now() + HOUR_MS + Math.floor((at / count) * 47 * HOUR_MS);
  const announcementId = randomUUID() as AnnouncementId;
  const key = { announcementId, occurrenceId: `e${at}` as OccurrenceId, startsAt: dueAt, sink: "discord" } as const;
  return {
    ...key,
    id: postId(key, 1),
    guildId: `ahead${at % GUILDS}` as GuildId,
    channel: "1",
    dueAt,
    deadline: dueAt + 15 * 60_000,
    round: 1,
    state: "planned",
    planRevision: 1,
    fence: 0,
    wakeAt: dueAt,
    attempts: 0,
    crashes: 0,
    delivered: [],
  };
}
