import type { CalendarImport, ErrorBody, FieldProblem, Operations } from "./api-types.ts";

/** Path of an operation. Each is a POST with a JSON object as its body. */
export type Path = keyof Operations;

/** Body of a request. */
export type RequestOf<P extends Path> = Operations[P]["request"];

/** Body of a response with the status 200. */
export type ResponseOf<P extends Path> = Operations[P]["response"];

/** Paths whose operation has this property, such as `acceptsIfMatch`. */
type PathsWith<Trait extends keyof Operations[Path]> = {
  [P in Path]: Operations[P][Trait] extends true ? P : never;
}[Path];

export interface ClientOptions {
  /** Address of the installation, such as `https://guildcal.example.org`; it may contain a path. */
  readonly baseUrl: string | URL;
  /** The API key. */
  readonly key: string;
  /** Timeout in milliseconds of a request with all attempts and the waits between them; 30 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Timeout in milliseconds of one attempt; 10 000 by default. The service's own timeout is 6 000. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Maximum number of attempts of a request; 5 by default. With 1 no request is repeated. */
  readonly maxAttempts?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of one request. */
export type RequestOptions<P extends Path> = {
  /** Ends the request, with its waits; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
} & (P extends PathsWith<"acceptsIdempotencyKey">
  ? {
      /**
       * Identifies the create: a repetition with the same key within 24 hours creates nothing. The client generates a key for
       * each call; pass your own if a call may be repeated after a restart of your program.
       */
      readonly idempotencyKey?: string | undefined;
    }
  : unknown) &
  (P extends PathsWith<"acceptsIfMatch">
    ? {
        /** `etag` of the response on which the change is based. Another revision is refused with REVISION_MISMATCH. */
        readonly ifMatch?: string | readonly string[] | undefined;
      }
    : unknown);

/** A response with the status 200. */
export interface ApiResponse<P extends Path> {
  readonly data: ResponseOf<P>;
  /** Revision of the resource, for `ifMatch`. */
  readonly etag: P extends PathsWith<"hasEtag"> ? string : undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string;
}

/** Operations whose effect on the posts can be shown before they are performed. */
export type DryRunPath = PathsWith<"acceptsDryRun">;

/** Operations whose response is one page of a list, or can be. */
export type PagedPath = { [P in Path]: Operations[P]["cursorField"] extends string ? P : never }[Path];

/** Resources that have an `etag`, and can be updated conditionally. */
export type Resource = {
  [P in Path]: P extends `${infer Group}/get`
    ? `${Group}/update` extends PathsWith<"acceptsIfMatch">
      ? Group
      : never
    : never;
}[Path];

/** Fields that identify a resource. */
export type ReferenceTo<R extends Resource> = RequestOf<`${R}/get`>;

/** Fields of an update, without those that identify the resource. */
export type ChangesOf<R extends Resource> = Omit<RequestOf<`${R}/update`>, keyof ReferenceTo<R>>;

/** Changes of a guild, and the token of the position after them. */
export interface FollowedChanges {
  /** Empty every 15 seconds, with a new token: a token is valid for a week. */
  readonly changes: ResponseOf<"/v2/changes">["changes"];
  readonly syncToken: string;
}

export interface FollowOptions {
  /** The token after which the changes begin; without it they begin with everything that the guild has. */
  readonly syncToken?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The calendar into which a body is imported. */
export interface ImportQuery {
  readonly guild_id: string | bigint;
  readonly calendar_number: number;
  /** Reports what an import would do, and stores nothing. */
  readonly dry_run?: boolean | undefined;
  /** Adds `ids`, the ids of the events, to the response. */
  readonly ids?: boolean | undefined;
}

export interface GuildcalClient {
  /**
   * Sends a request, and repeats it when that is safe (clients/http/README.md). Rejects with an `ApiError`, a
   * `NoResponseError`, or the reason of `signal`.
   */
  request<P extends Path>(path: P, body: RequestOf<P>, options?: RequestOptions<P>): Promise<ApiResponse<P>>;
  /**
   * Checks a request, and returns the posts that would appear, vanish, move or change; stores nothing. It is refused as `request`
   * would be, and is repeated after an error as a read is.
   */
  dryRun<P extends DryRunPath>(
    path: P,
    body: RequestOf<P>,
    options?: Omit<RequestOptions<P>, "idempotencyKey">,
  ): Promise<{ readonly data: ResponseOf<"/v2/plan/diff">; readonly requestId: string }>;
  /**
   * The responses of a list, page after page, each with at most `limit` entries (`amount` for lists of keys). A page may have no
   * entry. Without a `limit` some lists have one page, with all their entries.
   */
  pages<P extends PagedPath>(
    path: P,
    body: RequestOf<P>,
    options?: RequestOptions<P>,
  ): AsyncIterableIterator<ResponseOf<P>>;
  /**
   * Follows the changes of a guild by the stream of the service, and connects again when the stream ends. Rejects with an
   * `ApiError` if the service refuses the stream (SYNC_TOKEN_EXPIRED: begin again without a token), or with the reason of
   * `signal`.
   */
  follow(guildId: string | bigint, options?: FollowOptions): AsyncIterableIterator<FollowedChanges>;
  /**
   * Imports an iCalendar body, such as the export of another program. A request without a response is repeated, because a
   * repetition does not change the events that are stored already. If `complete` is false, send the same body again to
   * continue. An attempt may take a minute.
   */
  importCalendar(
    query: ImportQuery,
    body: string,
    options?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined },
  ): Promise<{ readonly data: CalendarImport; readonly requestId: string }>;
  /**
   * Reads a resource, and updates it on condition that it has not changed since. If another client has changed the resource,
   * the client reads it and calls `change` again, ten times in all. `change` returns the fields to change; if it returns
   * undefined, nothing is written and the result is undefined.
   */
  modify<R extends Resource>(
    resource: R,
    reference: ReferenceTo<R>,
    change: (data: ResponseOf<`${R}/get`>) => ChangesOf<R> | undefined | Promise<ChangesOf<R> | undefined>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ApiResponse<`${R}/update`> | undefined>;
}

export type ErrorCode = ErrorBody["code"];

/** A response that is an error. */
export interface ApiError extends Error {
  readonly name: "ApiError";
  readonly status: number;
  /** Stable code of the error; UNEXPECTED_RESPONSE for a response that is not guildcal's, such as that of a proxy. */
  readonly code: ErrorCode | "UNEXPECTED_RESPONSE";
  /** Every bad field of the request (INVALID_REQUEST, TOO_MANY_ENTRIES); empty for other errors. */
  readonly errors: readonly FieldProblem[];
  readonly requestId: string | undefined;
  /** Milliseconds after which another attempt may succeed. After OUTCOME_UNKNOWN the write is not performed later than this. */
  readonly retryAfterMs: number | undefined;
  /** Idempotency-Key of the create, with which the same request may be sent again within 24 hours. */
  readonly idempotencyKey: string | undefined;
}

/** There was no response: the connection failed or timed out. A write may have been performed. */
export interface NoResponseError extends Error {
  readonly name: "NoResponseError";
  readonly idempotencyKey: string | undefined;
}
