import type { ApiError, ClientOptions, ErrorCode, GuildcalClient, NoResponseError } from "./client-types.ts";
import * as client from "./client.ts";
import * as errors from "./errors.ts";

export type * from "./api-types.ts";
export type * from "./client-types.ts";

/** Makes a client of one installation. It holds no connection of its own, and needs no end. */
export const guildcalClient: (options: ClientOptions) => GuildcalClient = client.guildcalClient;

/** Whether an error is a response of the service; with codes, whether it is one of these. */
export const isApiError: (error: unknown, ...codes: (ErrorCode | "UNEXPECTED_RESPONSE")[]) => error is ApiError =
  errors.isApiError;

/** Whether an error says that no response came. */
export const isNoResponseError: (error: unknown) => error is NoResponseError = errors.isNoResponseError;
