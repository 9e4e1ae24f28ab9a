/** A start, as far as its banner tells of it. */
export interface StartedService {
  readonly baseUrl: string;
  /** The key that was made now, on the first start alone. */
  readonly firstKey: string | undefined;
  readonly apiKeyIsSet: boolean;
}

/** The text that a start prints for the person who made it. It never shows the value of API_KEY. */
export function banner(started: StartedService): string {
  const { baseUrl } = started;
  return [
    "",
    `guildcal is ready on ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    ...keyLines(started),
    "  try it",
    `    ${tryItLine(started)}`,
    "",
    "",
  ].join("\n");
}

function keyLines({ firstKey, apiKeyIsSet }: StartedService): string[] {
  if (firstKey !== undefined)
    return [`  API key   ${firstKey}`, "            (shown this once: only its hash is kept)"];
  if (apiKeyIsSet) return ["  API key   the value of API_KEY; for others: npm run keys"];
  return ["  API key   shown at the first start; for another one: npm run keys"];
}

/** The same for a program that reads the log, as one line's fields. The first key is in it, once, as it is in the banner. */
export function startLine({ baseUrl, firstKey }: StartedService): object {
  return { url: baseUrl, ...(firstKey !== undefined && { firstKey }) };
}

/** One line that works as pasted. */
function tryItLine({ baseUrl, firstKey }: StartedService): string {
  if (firstKey === undefined) return `curl -s ${baseUrl}/health/ready`;
  return (
    `curl -s ${baseUrl}/v2/guild/settings/get -H 'Authorization: ${firstKey}' ` +
    `-H 'Content-Type: application/json' -d '{"guild_id": 375357265198317579}'`
  );
}
