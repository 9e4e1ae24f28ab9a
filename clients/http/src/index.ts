import type { ApiError, ClientOptions, ErrorCode, GuildcalClient, NoAnswerError } from "./client-types.ts";
import * as client from "./client.ts";
import * as errors from "./errors.ts";

export type * from "./api-types.ts";
export type * from "./client-types.ts";

/** Makes a client of one installation. It holds no connection of its own, and needs no end. */
export const guildcalClient: (options: ClientOptions) => GuildcalClient = client.guildcalClient;

/** Whether an error is an answer of the service; with codes, whether it is one of these. */
export const isApiError: (error: unknown, ...codes: (ErrorCode | "UNEXPECTED_ANSWER")[]) => error is ApiError =
  errors.isApiError;

/** Whether an error says that no answer came. */
export const isNoAnswerError: (error: unknown) => error is NoAnswerError = errors.isNoAnswerError;
