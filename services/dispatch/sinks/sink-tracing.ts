import type { Tracer } from "../../../mixins/observability/tracer.ts";
import type { Sink } from "./sink.ts";

/** Adds a span to every send, with a link to the request that caused the post. */
export function withTracing(sink: Sink, tracer: Tracer | undefined): Sink {
  if (tracer === undefined) return sink;
  return {
    ...sink,
    async send(message, timeoutMs) {
      const { postId, part, guildId, changedBy } = message;
      const link = changedBy?.traceparent;
      const span = tracer.start({
        name: "post announcement",
        kind: "client",
        links: link === undefined ? [] : [link],
        attributes: {
          "guildcal.sink": sink.name,
          "guildcal.post": postId,
          "guildcal.part": part,
          "guildcal.guild_id": guildId,
          "guildcal.request_id": changedBy?.requestId,
        },
      });
      const outcome = await span.run(() => sink.send(message, timeoutMs));
      span.end({ "guildcal.outcome": outcome.kind }, outcome.kind !== "sent");
      return outcome;
    },
  };
}
