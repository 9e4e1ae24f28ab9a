import type { EmbedBody, MessageBody } from "../../services/contracts/dispatch.contract.ts";

const STYLE = `
  body { margin: 0; padding: 16px; background: #313338; color: #dbdee1; font: 15px/1.35 "DejaVu Sans", sans-serif; }
  .message { display: flex; gap: 16px; }
  .avatar { flex: none; width: 40px; height: 40px; border-radius: 50%; background: #5865f2; color: #fff; text-align: center; line-height: 40px; }
  .name { color: #fff; font-weight: bold; }
  .tag { margin-left: 4px; padding: 1px 5px; border-radius: 3px; background: #5865f2; color: #fff; font-size: 11px; }
  .mention { padding: 0 2px; border-radius: 3px; background: #3c4270; color: #c9cdfb; }
  .time { padding: 0 2px; border-radius: 3px; background: #4e5058; }
  .embed { margin-top: 6px; padding: 12px 16px; max-width: 500px; border-left: 4px solid; border-radius: 4px; background: #2b2d31; font-size: 14px; }
  .author, .title { color: #fff; font-weight: bold; margin-bottom: 6px; }
  .fields { display: flex; flex-wrap: wrap; gap: 10px 24px; margin-top: 8px; }
  .field { flex: 1 1 100%; } .inline { flex: 1 1 40%; }
  .field-name { color: #fff; display: block; }
  .footer { margin-top: 10px; font-size: 12px; color: #b5bac1; }
`;

/** A page that shows a message of the Discord API as Discord's client does. */
export function postPage({ content = "", embeds = [] }: MessageBody): string {
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<div class="message"><div class="avatar">g</div><div>
<span class="name">guildcal</span><span class="tag">APP</span>
<div>${formatted(content)}</div>${embeds.map(embedBox).join("")}</div></div>`;
}

function embedBox({ author, title, description, color, fields = [], footer }: EmbedBody): string {
  const boxes = fields.map(
    ({ name, value, inline }) =>
      `<div class="field${inline ? " inline" : ""}"><b class="field-name">${formatted(name)}</b>${formatted(value)}</div>`,
  );
  const hex = `#${color.toString(16).padStart(6, "0")}`;
  return `<div class="embed" style="border-color: ${hex}">
${block("author", author?.name)}${block("title", title)}${block("description", description)}
<div class="fields">${boxes.join("")}</div>${block("footer", footer?.text)}</div>`;
}

function block(name: string, text = ""): string {
  return text === "" ? "" : `<div class="${name}">${formatted(text)}</div>`;
}

/** The parts of Discord's markup that posts contain: bold, escaped characters, mentions and time stamps. */
function formatted(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/\*\*(.+?)\*\*/g, "<b>$1</b>")
    .replaceAll(/\\([*_~`|>])/g, "$1")
    .replaceAll(/@(?:everyone|here)/g, (mention) => `<span class="mention">${mention}</span>`)
    .replaceAll(/&lt;t:(\d+):F>/g, (_, seconds: string) => `<span class="time">${longDate(Number(seconds))}</span>`)
    .replaceAll("\n", "<br>");
}

/** The text of `<t:…:F>` for a reader in New York. */
function longDate(seconds: number): string {
  const style = { dateStyle: "full", timeStyle: "short", timeZone: "America/New_York" } as const;
  return new Intl.DateTimeFormat("en-US", style).format(seconds * 1_000);
}
