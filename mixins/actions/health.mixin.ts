import type { ServiceSchema } from "moleculer";
import type { Connection } from "mongoose";
import { healthOf } from "../../services/contracts/health.contract.ts";
import { serve } from "./contract-action.ts";
import { DATABASE_PING_TIMEOUT_MS, pingDatabase } from "../mongo/database.mixin.ts";
import type { OwnerName } from "../../services/contracts/service-names.ts";

/** The action `health`, by which the gateway checks that the service runs and reaches its database. */
export function healthMixin(service: OwnerName, connection: Connection): Partial<ServiceSchema> {
  return {
    actions: {
      ...serve(healthOf(service), async () => ({ database: await pingDatabase(connection, DATABASE_PING_TIMEOUT_MS) })),
    },
  };
}
