import { type IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import type { HttpResponse } from "../../services/api/http/http-response.ts";
import type { Page } from "../../services/api/pages/page.ts";
import type { RequestHandler } from "../../services/api/request-handler.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { webGateway, type WebService } from "../../services/api/web-gateway.ts";

/** moleculer-web with the gateway's routes, without a server in front of it. */
export function webService(steps: () => RequestHandler, pages: readonly Page[] = []): WebService {
  const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
  const mixins = [
    webGateway({
      routes: ROUTES,
      pages,
      requestHandler: steps,
      feed: notServed,
      calendarImport: notServed,
      changeStreams: notServed,
    }) as ServiceSchema,
  ];
  return broker.createService({ name: "api", mixins }) as WebService;
}

function notServed(): never {
  throw new Error("no test requests a feed, an import or a stream here");
}

/** The responses of `webService` to requests without a connection. */
export function responsesOf(
  steps: RequestHandler,
): (request: IncomingMessage, requestId: string) => Promise<HttpResponse> {
  const service = webService(() => steps);
  return (request, requestId) => service.respond(request, requestId, new ServerResponse(request));
}

/** A POST request with a JSON body, as node:http passes it. */
export function postRequest(path: string, body: object): IncomingMessage {
  const headers = { authorization: "key", "content-type": "application/json" };
  const message = { method: "POST", url: path, headers };
  return Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), message) as unknown as IncomingMessage;
}
