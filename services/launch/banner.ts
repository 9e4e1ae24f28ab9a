/** What a start tells the person who made it. `firstKey` is there on the very first start alone. */
export function banner(baseUrl: string, firstKey: string | undefined): string {
  const lines = [
    "",
    `guildcal is ready on ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    ...(firstKey === undefined
      ? ["  API key   shown at the first start; another one: set API_KEY and start again"]
      : [`  API key   ${firstKey}`, "            (shown this once: only its hash is kept)"]),
    "  try it",
    `    ${tryItLine(baseUrl, firstKey)}`,
    "",
    "",
  ];
  return lines.join("\n");
}

/** One line that works as pasted. */
function tryItLine(baseUrl: string, key: string | undefined): string {
  if (key === undefined) return `curl -s ${baseUrl}/health/ready`;
  return (
    `curl -s ${baseUrl}/v2/guild/settings/get -H 'Authorization: ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"guild_id": 375357265198317579}'`
  );
}
