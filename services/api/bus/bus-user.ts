import { NAMESPACE } from "../../../moleculer.config.ts";
import { announcementChanged } from "../../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../../contracts/calendars.contract.ts";
import type { ActionContract, Caller, EventContract } from "../../contracts/contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../../contracts/post-outcomes.contract.ts";
import { guildSettingsChanged } from "../../contracts/guild-settings.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { webhookChanged } from "../../contracts/webhooks.contract.ts";
import { ROUTE_CONTRACTS } from "../route-table.ts";

/** A service of another project that calls guildcal over NATS (docs/nats.md). */
export interface BusUser {
  /** A token in the user's NATS subjects: lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly access: Caller["access"];
  /** The guilds that it may access; empty for all guilds. */
  readonly guilds: readonly string[];
  /** Public NKey, by which NATS authenticates the user. Only the user has the seed. */
  readonly publicKey: string;
}

/** A stored bus user. It stays after its revocation, so that its name is never used again. */
export interface BusUserRecord extends BusUser {
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly revokedAt?: EpochMs;
  readonly revokedBy?: string;
}

export const BUS_USER_NAME = /^[a-z][a-z0-9-]{0,39}$/;
/** The form of a user's public NKey. */
export const NKEY = /^U[A-Z2-7]{55}$/;
/** Each user costs a broker and a connection in every gateway. */
export const MAX_BUS_USERS = 50;

const BUS_NAMESPACE = `${NAMESPACE}-bus`;

/** The Moleculer namespace of a user; NATS lets no other user publish to its subjects. */
export function namespaceOf(name: string): string {
  return `${BUS_NAMESPACE}.${name}`;
}

/** Wildcard for the subjects of all bus users. */
export const ALL_BUS_SUBJECTS = `MOL-${BUS_NAMESPACE}.>`;

const GUILD_ACTIONS = ROUTE_CONTRACTS.filter(({ keys }) => keys === "guild read" || keys === "guild write");

/** The actions that a user may call: those that an API key of a guild reaches over HTTP. */
export function actionsFor(access: Caller["access"]): readonly ActionContract<unknown, unknown>[] {
  return GUILD_ACTIONS.filter(({ keys }) => access === "write" || keys === "guild read");
}

/** An event that bus users receive; its payload has the guild. */
export type BusEvent = EventContract<{ readonly guildId: string }>;

/** The events that a bus user receives, for its own guilds. */
export const BUS_EVENTS = [
  announcementChanged,
  announcementFailed,
  announcementMissed,
  announcementPosted,
  calendarEventChanged,
  calendarChanged,
  guildSettingsChanged,
  webhookChanged,
] as const;

/** The caller that the owners of actions see. */
export function callerOf({ name, access, guilds }: BusUser): Caller {
  return { keyId: `bus.${name}`, kind: guilds.length === 0 ? "service" : "guild", access, guilds };
}

export function receivesEventsOf({ guilds }: BusUser, guildId: string): boolean {
  return guilds.length === 0 || guilds.includes(guildId);
}
