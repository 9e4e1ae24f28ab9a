import type { Example } from "../route.ts";

const guild_id = "375357265198317585";
const channel = "381142957109346304";
const event_id = "e0000000000000000000000000";
const announcement_id = "00000000-0000-0000-0000-000000000001";
const epoch_start = 1_893_783_600_000;

/** A new event, and an announcement of it. */
const changes = [
  {
    action: "CREATE_EVENT",
    calendar_number: 1,
    name: "Raid night",
    epoch_start,
    epoch_end: epoch_start + 7_200_000,
  },
  { action: "CREATE_ANNOUNCEMENT", channel, type: "SPECIFIC", event_id, hours: 1, minutes: 30, info: "Bring potions" },
];

export const planExamples = {
  diff: {
    request: { guild_id, changes },
    response: {
      appear: 1,
      vanish: 0,
      move: 0,
      change: 0,
      more: false,
      compared_until: 1_906_653_600_000,
      posts: [
        {
          effect: "APPEARS",
          announcement_id,
          event_id,
          epoch_start,
          due: epoch_start - 5_400_000,
          channel,
          text: "Raid night\nStarts: Friday, January 4, 2030, 7:00 PM (UTC)\n<t:1893783600:F>\nEnds: Friday, January 4, 2030, 9:00 PM (UTC)\n<t:1893790800:F>\nAdditional information: Bring potions",
          reason: "the announcement is new",
        },
      ],
    },
  },
  preview: {
    request: { guild_id, changes, limit: 1 },
    response: {
      previews: [
        {
          event_id,
          epoch_start,
          channel,
          messages: [
            {
              embeds: [
                {
                  title: "Raid night",
                  color: 3_705_581,
                  footer: { text: `Announcement ${announcement_id} · Event ${event_id}` },
                  fields: [
                    {
                      name: "Starts",
                      value: "Friday, January 4, 2030, 7:00 PM (UTC)\n<t:1893783600:F>",
                      inline: true,
                    },
                    { name: "Ends", value: "Friday, January 4, 2030, 9:00 PM (UTC)\n<t:1893790800:F>", inline: true },
                    { name: "Additional information", value: "Bring potions", inline: false },
                  ],
                },
              ],
              allowed_mentions: { parse: [] },
            },
          ],
        },
      ],
    },
  },
} satisfies Record<string, Example>;
