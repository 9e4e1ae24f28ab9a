import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of iCalendar bodies on loopback. */
export interface CalendarServer {
  readonly base: string;
  readonly url: string;
  /** The requests, in their order. */
  readonly requests: readonly IncomingMessage[];
  /** Replaces the function that responds. */
  respond(next: Respond): void;
  /** Responds with a body and its ETag, and with 304 to a request with this ETag. */
  serve(body: string, etag?: string): void;
  close(): Promise<void>;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export async function startCalendarServer(address = "127.0.0.1"): Promise<CalendarServer> {
  const requests: IncomingMessage[] = [];
  let current: Respond = (_request, response) => response.writeHead(404).end();
  const server = createServer((request, response) => {
    requests.push(request);
    current(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, address, resolve));
  const base = `http://${address}:${(server.address() as AddressInfo).port}`;
  return {
    base,
    url: `${base}/team.ics`,
    requests,
    respond: (next) => void (current = next),
    serve(body, etag) {
      current = (request, response) => {
        if (etag !== undefined && request.headers["if-none-match"] === etag) response.writeHead(304).end();
        else
          response
            .writeHead(200, { "content-type": "text/calendar", ...(etag === undefined ? {} : { etag }) })
            .end(body);
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** A calendar with these VEVENTs; each is its lines without BEGIN and END. */
export function calendarBody(events: readonly string[], properties = ""): string {
  const lines = events.map((event) => `BEGIN:VEVENT\n${event}\nEND:VEVENT\n`).join("");
  return `BEGIN:VCALENDAR\nVERSION:2.0\n${properties}${lines}END:VCALENDAR\n`.replaceAll("\n", "\r\n");
}

/** A VEVENT of one hour; `at` is its start as iCalendar has it. */
export function vevent(uid: string, at: string, more = ""): string {
  return `UID:${uid}\nDTSTAMP:20260101T000000Z\nDTSTART:${at}\nDURATION:PT1H\nSUMMARY:${uid}${more}`;
}
