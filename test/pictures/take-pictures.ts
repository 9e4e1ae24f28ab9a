import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { MessageBody } from "../../services/contracts/dispatch.contract.ts";
import { DEMO_CHANNEL } from "../../services/launch/cli/demo-announcements.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { type ChatServer, startChatServer } from "../harness/chat-server.ts";
import { GuildcalProcess, post, PROJECT } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { findBrowser, takePicture } from "./browser.ts";
import { postPage } from "./post-page.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const GUILD = "375357265198317579";
const CHANNEL = "381142957109346304";
/** A guild of its own: the post of another picture is not in its calendars. */
const CONSOLE_GUILD = "375357265198317581";
const IMAGES = join(PROJECT, "docs/images");
const HOUR_MS = 3_600_000;
/** Time from the requests to the post. An announcement that is created after its due instant is skipped (D31). */
const DUE_IN_MS = 6_000;

/**
 * Writes the pictures of the documents: the docs page, the console and a post. It runs guildcal with the sink `discord`, which posts to a chat
 * server on loopback. The picture of the post shows the request that the sink sent.
 */
async function takePictures(): Promise<void> {
  const browser = findBrowser(process.env);
  const folder = await mkdtemp(join(tmpdir(), "guildcal-pictures-"));
  const chat = await startChatServer();
  chat.setGuild(GUILD, { name: "The Night Watch" });
  chat.addChannel(CHANNEL, { guild: GUILD });
  chat.setGuild(CONSOLE_GUILD, { name: "The Day Watch" });
  chat.addChannel(DEMO_CHANNEL, { guild: CONSOLE_GUILD });
  const port = await freePort(0);
  const baseUrl = `http://127.0.0.1:${port}`;
  const discord = { SINKS: "discord", DISCORD_TOKEN: chat.token, DISCORD_API_URL: chat.url };
  const guildcal = new GuildcalProcess("all", { DATA_DIR: folder, PORT: String(port), API_KEY: KEY, ...discord });
  try {
    await guildcal.printed(/guildcal is ready/);
    const docs = { url: `${baseUrl}/docs`, width: 1_100, height: 720 };
    await takePicture(browser, { ...docs, file: join(IMAGES, "docs-page.png") });
    const program = join(PROJECT, "test/browser/take-console-pictures.ts");
    await promisify(execFile)(process.execPath, [program, browser, baseUrl, KEY, CONSOLE_GUILD, IMAGES]);
    await announce(baseUrl);
    await until(() => sentMessage(chat) !== undefined, "the post", 60_000);
    const page = join(folder, "post.html");
    await writeFile(page, postPage(sentMessage(chat) as MessageBody));
    const postPicture = { url: pathToFileURL(page).href, width: 620, height: 380 };
    await takePicture(browser, { ...postPicture, file: join(IMAGES, "post.png") });
  } finally {
    await guildcal.end();
    await chat.stop();
    await removeFolder(folder);
  }
}

/** Creates an event and its announcement, which is due in `DUE_IN_MS`. */
async function announce(baseUrl: string): Promise<void> {
  const start = Date.now() + HOUR_MS + DUE_IN_MS;
  const requests: readonly (readonly [path: string, fields: object])[] = [
    [
      "/v2/events/create",
      {
        calendar_number: 1,
        epoch_start: start,
        epoch_end: start + 2 * HOUR_MS,
        name: "Raid night",
        description: "First pull at **nine sharp**.",
        location: "Molten Core",
        color: "TURQUOISE",
      },
    ],
    [
      "/v1/announcement/create",
      {
        channel: CHANNEL,
        type: "UNIVERSAL",
        hours: 1,
        minutes: 0,
        info: "Bring potions",
        subscribers_role: ["everyone"],
      },
    ],
  ];
  for (const [path, fields] of requests) {
    const { status, body } = await post(baseUrl, KEY, path, { guild_id: GUILD, ...fields });
    if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
  }
}

function sentMessage({ requests }: ChatServer): MessageBody | undefined {
  const sent = requests.find(
    ({ method, path, status }) => method === "POST" && path.includes(`/channels/${CHANNEL}/`) && status === 200,
  );
  return sent === undefined ? undefined : (JSON.parse(sent.body) as MessageBody);
}

await takePictures();
