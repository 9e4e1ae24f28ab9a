import { setTimeout as pause } from "node:timers/promises";
import type { ActionContract } from "../../services/contracts/contract.ts";
import type { TestServices } from "./test-services.ts";

/** Calls an action that compares plans; again if other comparisons had the turns (D58), as a client does after a 429. */
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
