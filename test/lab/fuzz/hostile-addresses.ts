import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../../harness/until.ts";
import type { HostileRow, HostileStage, Outcome } from "./hostile-row.ts";

/** Follows an address of the stage's server, and resolves with the error of the read. */
async function errorOf(
  { post, guild, server }: HostileStage,
  { guild_id = guild, path = "/team.ics" } = {},
): Promise<unknown> {
  const where = { guild_id, calendar_number: 1 };
  const { status, body } = await post("/v2/calendar/follow", { ...where, url: server.base + path });
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

/** The address of the stage's server, which stands for one of the outside: the only private address that the service may read. */
export const OUTSIDE_ADDRESS = "127.0.0.1";
/** Other addresses, which the service must not reach: loopback, link-local with the metadata of a cloud, private, mapped. */
const INSIDE_ADDRESSES = [
  "127.0.0.2",
  "169.254.169.254",
  "10.0.0.1",
  "192.168.0.1",
  "[::1]",
  "[::ffff:7f00:2]",
  "[fd00::1]",
];

/** Redirects to each address inside, of which one has a server. Resolves with the errors, and the connections to that server. */
async function redirectsInside(stage: HostileStage): Promise<Outcome> {
  const inside = createServer((_request, response) => response.end());
  let connections = 0;
  inside.on("connection", () => (connections += 1));
  await new Promise<void>((listening) => void inside.listen(0, "127.0.0.2", listening));
  const { port } = inside.address() as AddressInfo;
  const targets = ["http", "https"].flatMap((protocol) =>
    INSIDE_ADDRESSES.map((address) => `${protocol}://${address}:${port}/latest/meta-data`),
  );
  stage.server.respond(({ url = "" }, response) => {
    response.writeHead(302, { location: targets[Number(url.slice(1))] }).end();
  });
  const follow = (at: number) => errorOf(stage, { guild_id: `${stage.guild}0${at}`, path: `/${at}` });
  const errors = await Promise.all(targets.map((_, at) => follow(at))).finally(() => inside.close());
  const expected = { errors: targets.map(() => "TARGET_REFUSED"), connections: 0 };
  return { expected, received: { errors, connections } };
}

/** Addresses that a calendar follows (D55). */
export const HOSTILE_ADDRESSES: readonly HostileRow[] = [
  { name: "a followed address that redirects to addresses inside", attack: redirectsInside },
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
