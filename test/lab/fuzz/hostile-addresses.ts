import { until } from "../../harness/until.ts";
import type { HostileRow, HostileStage, Outcome } from "./hostile-row.ts";

/** Follows the address of the stage's server, and resolves with the error of the read. */
async function errorOf({ post, guild, server }: HostileStage): Promise<unknown> {
  const where = { guild_id: guild, calendar_number: 1 };
  const { status, body } = await post("/v2/calendar/follow", { ...where, url: server.url });
  if (status !== 200) return body;
  let error: unknown;
  const isRead = async () => {
    error = (await post("/v2/calendar/follow/get", where)).body["error"];
    return error !== undefined;
  };
  await until(isRead, "the outcome of a read", 60_000, 100);
  await post("/v2/calendar/unfollow", where);
  return error;
}

async function fails(stage: HostileStage, expected: string): Promise<Outcome> {
  return { expected, received: await errorOf(stage) };
}

/** Addresses that a calendar follows (D55). The service may read private ones here. */
export const HOSTILE_ADDRESSES: readonly HostileRow[] = [
  {
    name: "a followed address that redirects to a file",
    attack(stage) {
      stage.server.respond((_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
      return fails(stage, "TARGET_REFUSED");
    },
  },
  {
    name: "a followed address that redirects to itself",
    attack(stage) {
      stage.server.respond((_request, response) => response.writeHead(302, { location: stage.server.url }).end());
      return fails(stage, "TOO_MANY_REDIRECTS");
    },
  },
  {
    name: "a followed address whose body has no end",
    attack(stage) {
      stage.server.respond((_request, response) => {
        response.writeHead(200, { "content-type": "text/calendar" });
        const line = `X-A:${"x".repeat(60_000)}\r\n`;
        const write = () => {
          while (!response.destroyed && response.write(line));
        };
        response.on("drain", write).write("BEGIN:VCALENDAR\r\n");
        write();
      });
      return fails(stage, "TOO_LARGE");
    },
  },
  {
    name: "a followed address with a hostile body",
    attack(stage) {
      stage.server.serve(`BEGIN:VCALENDAR\r\n${"BEGIN:X\r\n".repeat(stage.many)}`);
      return fails(stage, "NOT_A_CALENDAR");
    },
  },
];
