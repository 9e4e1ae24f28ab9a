import { NAMESPACE } from "../../../moleculer.config.ts";
import { announcementChanged } from "../../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../../contracts/calendars.contract.ts";
import type { ActionContract, Caller, EventContract } from "../../contracts/contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../../contracts/dispatch.contract.ts";
import { guildSettingsChanged } from "../../contracts/guild-settings.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { ROUTES } from "../route-table.ts";

/** A service of another project that calls ours over NATS (docs/nats.md). */
export interface BusUser {
  /** A word of its subjects: lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly access: Caller["access"];
  /** The guilds that it opens; empty for all guilds. */
  readonly guilds: readonly string[];
  /** An NKey, by which NATS knows it. The seed to it is kept by the user alone. */
  readonly publicKey: string;
}

/** A bus user as it is listed. Rows are kept after a revocation, so a name is given once. */
export interface BusUserRecord extends BusUser {
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly revokedAt?: EpochMs;
  readonly revokedBy?: string;
}

export const BUS_USER_NAME = /^[a-z][a-z0-9-]{0,39}$/;
/** The form of a user's public NKey. */
export const NKEY = /^U[A-Z2-7]{55}$/;
/** Each user has a broker and a connection in every gateway. */
export const MAX_BUS_USERS = 50;

/** What the subjects of all bus users begin with: a namespace of Moleculer for each, which NATS lets no other user speak in. */
const BUS_NAMESPACE = `${NAMESPACE}-bus`;

export function namespaceOf(name: string): string {
  return `${BUS_NAMESPACE}.${name}`;
}

/** The subjects of all bus users together. */
export const EVERY_BUS_SUBJECT = `MOL-${BUS_NAMESPACE}.>`;

const GUILD_ACTIONS: readonly ActionContract<unknown, unknown>[] = [
  ...new Map(ROUTES.map(({ contract }) => [contract.name, contract])).values(),
].filter(({ keys }) => keys === "guild read" || keys === "guild write");

/** The actions that a user may call, by its access: those that keys of guilds reach over HTTP. */
export function actionsFor(access: Caller["access"]): readonly ActionContract<unknown, unknown>[] {
  return GUILD_ACTIONS.filter(({ keys }) => access === "write" || keys === "guild read");
}

/** An event that bus users hear: each payload names its guild. */
export type BusEvent = EventContract<{ readonly guildId: string }>;

/** The events that a bus user hears, of its own guilds. */
export const BUS_EVENTS = [
  announcementChanged,
  announcementFailed,
  announcementMissed,
  announcementPosted,
  calendarEventChanged,
  calendarChanged,
  guildSettingsChanged,
] as const;

/** Whom the owners of actions see. */
export function callerOf({ name, access, guilds }: BusUser): Caller {
  return { keyId: `bus.${name}`, kind: guilds.length === 0 ? "service" : "guild", access, guilds };
}

export function hears({ guilds }: BusUser, guildId: string): boolean {
  return guilds.length === 0 || guilds.includes(guildId);
}
