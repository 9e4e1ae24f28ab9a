import { parseTemplate } from "../../../contracts/message-template.ts";
import type { MessageInput } from "./message-input.ts";
import { placeholderText } from "./placeholder-texts.ts";
import { truncate, visibleText } from "./truncate-text.ts";

/** More is never shown: the longest limit, and the longest white space of a template before the first letter. */
const ENOUGH = 8_192;

/**
 * The text of a part of a template, cut to a length (D61). Undefined for a text that this release cannot parse, which a later one
 * may have stored: the part is then shown as without a template, so that the post is sent.
 */
export function renderTemplate(source: string, input: MessageInput, maxLength: number): string | undefined {
  const parsed = parseTemplate(source);
  if ("problem" in parsed) return undefined;
  let text = "";
  for (const part of parsed.parts) {
    if (text.length > ENOUGH) break;
    text += typeof part === "string" ? part : placeholderText(part.placeholder, input);
  }
  return truncate(visibleText(text), maxLength);
}
