import type { Context, Middleware } from "moleculer";
import { ERRORS, type ErrorType } from "../../services/contracts/errors.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { GENERAL_REFUSALS } from "../fixtures/general-refusals.ts";

type Handler = (context: Context) => Promise<unknown>;

const LISTED = new Map(EVERY_ACTION.map(({ name, refusals = [] }) => [name, new Set<string>(refusals)]));

/** Watches the refusals of the actions of a contract. */
export class ListedRefusals {
  readonly #unlisted = new Set<string>();

  readonly middleware = {
    localAction: (next: Handler, { name }: { readonly name: string }): Handler => {
      const listed = LISTED.get(name);
      if (listed === undefined) return next;
      return async (context) => {
        try {
          return await next(context);
        } catch (error) {
          const { type } = Object(error) as { readonly type?: ErrorType };
          if (type !== undefined && type in ERRORS && !listed.has(type) && !GENERAL_REFUSALS.has(type)) {
            this.#unlisted.add(`${name} refuses with ${type}`);
          }
          throw error;
        }
      };
    },
  } as unknown as Middleware;

  /** Throws if an action refused with an error that neither its contract lists nor every action may have. */
  check(): void {
    if (this.#unlisted.size > 0)
      throw new Error(`not in \`refusals\` of its contract: ${[...this.#unlisted].join("; ")}`);
  }
}
