import type { Example } from "../route.ts";

const guild_id = "375357265198317579";
const id = "3f0b8a52-8c4e-4c1d-9a55-0d8c4c9f7a10";
const event_id = "e7d4gbk2nq0sv51mhj8t3ofr6p";
const occurrence = `${event_id}_20300104T190000Z`;

const announcement = {
  channel: "381142957109346304",
  event_id,
  event_color: "NONE",
  type: "RECUR",
  hours: 1,
  minutes: 30,
  info: "Bring potions",
  enabled: true,
  info_only: false,
  subscribers_role: ["everyone"],
  subscribers_user: ["142107863307780097"],
};

/** An announcement whose event was deleted. */
export const danglingExample = {
  id: "b1c94f0e-27d3-4a86-8f65-3d2a7e90c418",
  ...announcement,
  event_id: "e7d4gbk2nq0sv51mhj8t3ofr1a",
  type: "SPECIFIC",
  minutes: 0,
  info: "",
  subscribers_role: [],
  subscribers_user: [],
  dangling: true,
};

/** A permission of the bot that only the mentions need: the post is sent, and notifies fewer members. */
const problem = { code: "PERMISSION_MISSING", message: "the bot lacks MENTION_EVERYONE in the channel" };

const post = {
  due: 1_893_778_200_000,
  announcement_id: id,
  event_id: occurrence,
  epoch_start: 1_893_783_600_000,
  channel: announcement.channel,
};

export const announcementExamples = {
  create: {
    request: {
      guild_id,
      channel: announcement.channel,
      type: "RECUR",
      event_id,
      hours: 1,
      minutes: 30,
      info: "Bring potions",
      subscribers_role: ["everyone"],
      subscribers_user: ["142107863307780097"],
    },
    response: { Message: "Announcement created", id },
  },
  get: { request: { guild_id, id }, response: announcement },
  list: {
    request: { guild_id, amount: -1 },
    response: {
      amount: 2,
      announcements: [danglingExample, { id, ...announcement }],
    },
  },
  update: {
    request: { guild_id, id, minutes: 15, enabled: true },
    response: { Message: "Announcement updated" },
  },
  delete: { request: { guild_id, id }, response: { Message: "Announcement deleted" } },
  upcoming: {
    request: { guild_id, amount: 5 },
    response: {
      amount: 2,
      posts: [
        {
          ...post,
          event_id: `${event_id}_20300103T190000Z`,
          due: post.due - 86_400_000,
          epoch_start: post.epoch_start - 86_400_000,
          state: "sending",
          attempts: 1,
          in_doubt_since: post.due - 86_400_000 + 12,
          next_try: post.due - 86_400_000 + 6_012,
          reason: "timed out",
        },
        { ...post, state: "planned", problem },
      ],
      not_planned: {
        code: "TOO_MANY_POSTS",
        message:
          "The guild has more than 5000 posts ahead: the soonest are planned, and later ones as these are settled. A post that still has no room at its deadline is not posted.",
        due_from: post.due + 86_400_000,
      },
    },
  },
  history: {
    request: { guild_id, id },
    response: {
      amount: 2,
      posts: [
        {
          ...post,
          state: "sent",
          settled: 1_893_778_200_041,
          late_ms: 41,
          message_id: "1189334512675823616",
        },
        {
          ...post,
          state: "missed",
          settled: 1_893_779_100_000,
          reason: "dispatch was not running from 2030-01-04T17:20:00.000Z to 2030-01-04T17:45:00.000Z",
          reason_code: "DISPATCH_DOWN",
        },
      ],
    },
  },
  preview: {
    request: { guild_id, id },
    response: {
      event_id: occurrence,
      epoch_start: post.epoch_start,
      channel: announcement.channel,
      problem,
      messages: [
        {
          content: "Subscribers: <@142107863307780097> @everyone",
          embeds: [
            {
              title: "Raid night, hard mode",
              description: "Weekly raid",
              color: 16_746_620,
              image: { url: "https://example.org/raid.png" },
              footer: { text: `Announcement ${id} · Event ${occurrence}` },
              fields: [
                {
                  name: "Starts",
                  value: "Friday, January 4, 2030, 7:00 PM (UTC)\n<t:1893783600:F>",
                  inline: true,
                },
                {
                  name: "Ends",
                  value: "Friday, January 4, 2030, 9:00 PM (UTC)\n<t:1893790800:F>",
                  inline: true,
                },
                { name: "Additional information", value: "Bring potions", inline: false },
              ],
            },
          ],
          allowed_mentions: { parse: ["everyone"], users: ["142107863307780097"] },
        },
      ],
    },
  },
} satisfies Record<string, Example>;
