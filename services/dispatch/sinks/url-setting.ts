import type { Setting } from "../../../mixins/settings/environment.ts";

/** A setting that holds an http or https URL. */
export function urlSetting<Standard extends string | undefined>(
  about: string,
  defaultText: Standard,
): Setting<string | Standard> {
  return { about, defaultText, expects: "an http or https URL", parse: asHttpUrl };
}

function asHttpUrl(text: string): string | undefined {
  const url = /[\s()]/.test(text) ? null : URL.parse(text);
  return url?.protocol === "http:" || url?.protocol === "https:" ? text : undefined;
}
