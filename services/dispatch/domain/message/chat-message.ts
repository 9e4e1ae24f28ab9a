/** A message in Discord's terms, as the renderer makes it and sinks send it. */
export interface ChatMessage {
  readonly content: string;
  /** At most one. */
  readonly embeds: readonly Embed[];
  /** Exactly the subscribers that are pinged, whatever the texts contain (D33). */
  readonly allowedMentions: AllowedMentions;
}

export interface AllowedMentions {
  /** `["everyone"]` if `everyone` or `here` is subscribed, else empty. Users and roles have lists of their own. */
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
