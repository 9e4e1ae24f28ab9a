import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "./guildcal-process.ts";

/** A service in its own process, and whether its readiness probe succeeds. */
export interface ProbedService {
  readonly service: GuildcalProcess;
  readonly isReady: () => Promise<boolean>;
}

/** Starts a service; it is not ready yet. */
export async function startProbedService(name: string, env: Readonly<Record<string, string>>): Promise<ProbedService> {
  const probePort = await freePort(0);
  return {
    service: new GuildcalProcess(name, { PROBE_PORT: String(probePort), ...env }),
    isReady: () =>
      fetch(`http://127.0.0.1:${probePort}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      ),
  };
}
