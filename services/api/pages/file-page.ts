import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpResponse } from "../http/http-response.ts";
import type { Page } from "./page.ts";

/** A file that a page consists of. */
interface PageFile {
  readonly path: string;
  readonly type: string;
  readonly contentSecurityPolicy: string;
  readonly read: () => Promise<Buffer>;
}

interface Encodings {
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
}

/**
 * A page whose content is read and compressed at the first request. Browsers may store it, and ask with its ETag whether it is
 * still current: after an upgrade they get the new file at once.
 */
export function filePage({ path, type, contentSecurityPolicy, read }: PageFile): Page {
  let encodings: Promise<Encodings> | undefined;
  const common = {
    "content-type": type,
    "content-security-policy": contentSecurityPolicy,
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
  };
  return {
    path,
    async respond(acceptsGzip, ifNoneMatch = ""): Promise<HttpResponse> {
      encodings ??= read().then(encoded);
      const body = await encodings.catch((error: unknown) => {
        encodings = undefined;
        throw error;
      });
      // A weak tag: both codings have the same content (RFC 9110 section 8.8.1).
      const headers = { ...common, etag: body.etag };
      if (ifNoneMatch.split(/,\s*/).includes(body.etag)) return { status: 304, headers, body: "" };
      return acceptsGzip
        ? { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: body.gzip }
        : { status: 200, headers, body: body.identity };
    },
  };
}

async function encoded(identity: Buffer): Promise<Encodings> {
  const digest = createHash("sha256").update(identity).digest("base64url").slice(0, 22);
  return { identity, gzip: await promisify(gzip)(identity, { level: 9 }), etag: `W/"${digest}"` };
}
