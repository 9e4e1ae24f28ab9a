import type { Setting } from "../../../mixins/settings/environment.ts";

/** A setting that holds an http or https URL. */
export function urlSetting<Default extends string | undefined>(
  about: string,
  defaultText: Default,
): Setting<string | Default> {
  return { about, defaultText, expects: "an http or https URL without white space", parse: asHttpUrl };
}

/**
 * Returns the text as it was given, because a parsed URL is written with a slash after the host, which an operator has
 * not configured. The parser would also remove or encode white space, so that the text and the parsed URL would differ.
 */
function asHttpUrl(text: string): string | undefined {
  const url = /\s/.test(text) ? null : URL.parse(text);
  return url?.protocol === "http:" || url?.protocol === "https:" ? text : undefined;
}
