/** The facts of a start that its banner shows. */
export interface StartedService {
  readonly baseUrl: string;
  /** The API key that this start created; undefined on later starts. */
  readonly firstKey: string | undefined;
  readonly apiKeyIsSet: boolean;
}

/** The text of a start for the person at the terminal. It never contains the value of API_KEY. */
export function banner(started: StartedService): string {
  const { baseUrl } = started;
  return [
    "",
    `guildcal is ready on ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    `  console   ${baseUrl}/console`,
    ...keyLines(started),
    "  try it",
    `    ${tryItLine(started)}`,
    "",
    "",
  ].join("\n");
}

function keyLines({ firstKey, apiKeyIsSet }: StartedService): string[] {
  if (firstKey !== undefined)
    return [`  API key   ${firstKey}`, "            (shown only now: guildcal stores only its digest)"];
  if (apiKeyIsSet) return ["  API key   the value of API_KEY; for others: npm run keys"];
  return ["  API key   shown at the first start; for another one: npm run keys"];
}

/** The facts of a start as fields of a log line, for a program. They contain the first key, as the banner does. */
export function startLine({ baseUrl, firstKey }: StartedService): object {
  return { url: baseUrl, ...(firstKey !== undefined && { firstKey }) };
}

/** A command that works without changes. */
function tryItLine({ baseUrl, firstKey }: StartedService): string {
  if (firstKey === undefined) return `curl -s ${baseUrl}/health/ready`;
  return (
    `curl -s ${baseUrl}/v2/guild/settings/get -H 'Authorization: ${firstKey}' ` +
    `-H 'Content-Type: application/json' -d '{"guild_id": 375357265198317579}'`
  );
}
