import { setTimeout as pause } from "node:timers/promises";
import type { ActionContract } from "../../services/contracts/contract.ts";
import type { TestServices } from "./test-services.ts";

/** Calls an action, and again if others had all turns, as a client does after a 429: on a busy machine turns may take seconds. */
export async function callInTurn<Params, Result>(
  services: Pick<TestServices, "call">,
  contract: ActionContract<Params, Result>,
  params: Params,
): Promise<Result> {
  for (;;) {
    try {
      return await services.call(contract, params);
    } catch (error) {
      if ((error as { type?: unknown }).type !== "TOO_MANY_REQUESTS") throw error;
      await pause(500);
    }
  }
}
