import type { CalendarServer } from "../../harness/calendar-server.ts";

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The tools of a row: a guild of its own, and a server outside of the service. */
export interface HostileStage {
  /** The largest number of repetitions in a body: a million, or less in the test suite. */
  readonly many: number;
  readonly guild: string;
  readonly server: CalendarServer;
  readonly importCalendar: (body: string) => Promise<Reply>;
  readonly post: (path: string, body: object) => Promise<Reply>;
}

/** A request that tries to take the time or the memory of the service. */
export interface HostileRow {
  readonly name: string;
  /** Whether the import may take as long as any import may; other rows are compared with a body of the same size. */
  readonly takesWholeImport?: true;
  /** Sends the request. Resolves with what was expected and what came. */
  readonly attack: (stage: HostileStage) => Promise<Outcome>;
}

export interface Outcome {
  readonly expected: unknown;
  readonly received: unknown;
}

/** The promise that an outcome breaks; undefined for the expected one. */
export function breachIn({ expected, received }: Outcome): string | undefined {
  const [wanted, found] = [expected, received].map((value) => JSON.stringify(value));
  return wanted === found ? undefined : `expected ${wanted}, received ${found?.slice(0, 2_000)}`;
}

/**
 * Sends requests with a key that may write the guild.
 *
 * @param isRepeated - Whether a request with this reply is sent again; none is by default.
 */
export function hostileStage(
  target: { readonly baseUrl: string; readonly key: string },
  stage: Pick<HostileStage, "many" | "guild" | "server">,
  isRepeated: (reply: Reply) => boolean = () => false,
): HostileStage {
  async function send(path: string, body: string, type: string): Promise<Reply> {
    let reply = await sendOnce(path, body, type);
    while (isRepeated(reply)) reply = await sendOnce(path, body, type);
    return reply;
  }

  async function sendOnce(path: string, body: string, type: string): Promise<Reply> {
    const response = await fetch(target.baseUrl + path, {
      method: "POST",
      headers: { authorization: target.key, "content-type": type },
      body,
      signal: AbortSignal.timeout(120_000),
    });
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  }
  return {
    ...stage,
    importCalendar: (body) =>
      send(`/v2/calendar/import?guild_id=${stage.guild}&calendar_number=1`, body, "text/calendar"),
    post: (path, body) => send(path, JSON.stringify(body), "application/json"),
  };
}
