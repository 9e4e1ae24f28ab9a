import type { ActionContract, Caller } from "../../services/contracts/contract.ts";

/**
 * Whether the caller may call the action with these checked params (D3). The gateway checks before it calls, and the
 * owner checks again before it serves; neither relies on the other. A call without a caller is internal.
 *
 * The owner of a record checks the fields that only an operator may change (D11).
 */
export function mayCall(
  { keys }: Pick<ActionContract<unknown, unknown>, "keys">,
  params: object,
  caller: Caller | undefined,
): boolean {
  if (caller === undefined) return true;
  if (keys === "none") return false;
  if (keys.endsWith(" write") && caller.access !== "write") return false;
  return keys.startsWith("operator ") ? caller.kind === "operator" : coversGuild(caller, params);
}

/** Whether the caller may change the fields of operators (D11). A call that does not come through the gateway may. */
export function isOperator(caller: Caller | undefined): boolean {
  return caller === undefined || caller.kind === "operator";
}

function coversGuild({ kind, guilds }: Caller, { guildId }: { readonly guildId?: unknown }): boolean {
  return typeof guildId === "string" && (kind !== "guild" || guilds.includes(guildId));
}
