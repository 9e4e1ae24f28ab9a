import type { ActionContract, Caller } from "../../services/contracts/contract.ts";

/**
 * Whether the caller may ask for the action with these params, which have passed its check (D3). The gateway asks
 * before it calls, the owner before it serves: neither relies on the other. Without a caller the call is from inside.
 *
 * What only an operator may change of a record is its owner's to know (D11).
 */
export function mayCall(
  { keys }: Pick<ActionContract<unknown, unknown>, "keys">,
  params: object,
  caller: Caller | undefined,
): boolean {
  if (caller === undefined) return true;
  if (keys === "none") return false;
  if (keys.endsWith(" write") && caller.access !== "write") return false;
  return keys.startsWith("operator ") ? caller.kind === "operator" : opens(caller, params);
}

function opens({ kind, guilds }: Caller, { guildId }: { readonly guildId?: unknown }): boolean {
  return typeof guildId === "string" && (kind !== "guild" || guilds.includes(guildId));
}
