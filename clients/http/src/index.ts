import type { ApiError, ClientOptions, ErrorCode, GuildcalClient, NoResponseError } from "./client-types.ts";
import * as client from "./client.ts";
import * as errors from "./errors.ts";

export type * from "./api-types.ts";
export type * from "./client-types.ts";

/** Creates a client of one installation. It has no connections of its own, and need not be closed. */
export const guildcalClient: (options: ClientOptions) => GuildcalClient = client.guildcalClient;

/** Whether an error is a response of the service; with codes, whether it is one of these. */
export const isApiError: (error: unknown, ...codes: (ErrorCode | "UNEXPECTED_RESPONSE")[]) => error is ApiError =
  errors.isApiError;

/** Whether an error means that there was no response. */
export const isNoResponseError: (error: unknown) => error is NoResponseError = errors.isNoResponseError;
