/** A message in Discord's terms, ready to be sent: what the renderer makes and a sink delivers. */
export interface ChatMessage {
  readonly content: string;
  /** At most one; none when there is nothing to show in a box. */
  readonly embeds: readonly Embed[];
  /** Exactly who is pinged, whatever the texts contain (D33). */
  readonly allowedMentions: AllowedMentions;
}

export interface AllowedMentions {
  /** `["everyone"]` when `everyone` or `here` is subscribed, else empty. Never a kind that has its own id list. */
  readonly parse: readonly "everyone"[];
  /** At most 100. */
  readonly users: readonly string[];
  /** At most 100. */
  readonly roles: readonly string[];
}

export interface Embed {
  readonly title?: string;
  readonly description?: string;
  /** 0xRRGGBB. */
  readonly color: number;
  readonly imageUrl?: string;
  readonly author?: string;
  readonly footer?: string;
  readonly fields: readonly EmbedField[];
}

export interface EmbedField {
  readonly name: string;
  readonly value: string;
  readonly inline: boolean;
}
