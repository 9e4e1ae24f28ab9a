import { env } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { guildcalClient, isApiError, isNoResponseError, type SettledPost } from "@guildcal/http-client";

// A bot that creates an event and its announcement, and waits for the outcome of the post.
const guildcal = guildcalClient({
  baseUrl: env["GUILDCAL_URL"] ?? "http://127.0.0.1:3000",
  key: env["GUILDCAL_KEY"] ?? "",
});
const guild = { guild_id: env["GUILD_ID"] ?? "375357265198317579" };
const channel = env["CHANNEL_ID"] ?? "381142957109346304";
const leadMinutes = Number(env["LEAD_MINUTES"] ?? 1);
const dueInMs = Number(env["DUE_IN_S"] ?? 10) * 1_000;

/** Ctrl-C ends the waits of the bot. */
const ending = new AbortController();
process.once("SIGINT", () => ending.abort());
const { signal } = ending;

async function announceRaid(): Promise<string> {
  const start = Date.now() + dueInMs + leadMinutes * 60_000;
  const times = { epoch_start: start, epoch_end: start + 7_200_000 };
  const raid = { ...guild, calendar_number: 1, name: "Raid night", ...times };
  const { data: event } = await guildcal.request("/v2/events/create", raid, { signal });
  const due = { type: "SPECIFIC", event_id: event.id, hours: 0, minutes: leadMinutes } as const;
  const announcement = { ...guild, channel, ...due, info: "Bring potions", subscribers_role: ["everyone"] };
  const { data } = await guildcal.request("/v1/announcement/create", announcement, { signal });
  console.log(`event ${event.id}, announcement ${data.id}`);
  return data.id;
}

/** Resolves with the outcome of the announcement's post. It reads the history more often near the due instant. */
async function outcomeOf(id: string): Promise<SettledPost> {
  for (;;) {
    const { data } = await guildcal.request("/v1/announcement/history", { ...guild, id, amount: 1 }, { signal });
    const [post] = data.posts;
    if (post !== undefined) return post;
    const { data: ahead } = await guildcal.request("/v1/announcement/upcoming", { ...guild, amount: 1 }, { signal });
    const waitMs = (ahead.posts[0]?.due ?? 0) - Date.now();
    await pause(Math.min(60_000, Math.max(500, waitMs)), undefined, { signal });
  }
}

try {
  const { state, late_ms: lateMs, reason } = await outcomeOf(await announceRaid());
  console.log(state === "sent" ? `posted, ${lateMs} ms after it was due` : `${state}: ${reason}`);
} catch (error) {
  if (signal.aborted) console.log("ended before the post");
  else if (isApiError(error)) console.error(error.message, error.errors, `request ${error.requestId}`);
  else if (isNoResponseError(error)) console.error(error.message);
  else throw error;
  process.exitCode = 1;
}
