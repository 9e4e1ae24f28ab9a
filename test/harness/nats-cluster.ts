import { type EmbeddedNats, startNats } from "../../services/launch/embedded/embedded-nats.ts";
import { freePorts } from "./free-ports.ts";
import { until } from "./until.ts";

/** Three real nats-servers with routes between them, as in production: clients of one reach clients of the others. */
export interface NatsCluster {
  /** The URLs of all three, separated by commas. */
  readonly url: string;
  /** The URL of each server's monitoring endpoints, such as `/varz`. */
  readonly monitorUrls: readonly string[];
  /** The index of the server with the most clients. */
  busiest(): Promise<number>;
  /** Kills a server with SIGKILL. */
  kill(at: number): Promise<void>;
  /** Starts a killed server again, and waits for its routes. */
  restart(at: number): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = 3;

/** Fields of a server's monitoring endpoint `/varz`. */
interface Figures {
  readonly connections: number;
  readonly routes: number;
}

export async function startNatsCluster(): Promise<NatsCluster> {
  const ports = await freePorts(3 * SERVERS);
  const [clients, routes, monitors] = [0, 1, 2].map((at) => ports.slice(at * SERVERS, (at + 1) * SERVERS)) as [
    number[],
    number[],
    number[],
  ];
  const peers = routes.map((port) => `nats://127.0.0.1:${port}`);
  const start = (at: number) =>
    startNats(clients[at], [
      `--name=n${at}`,
      "--cluster_name=guildcal",
      `--cluster=${peers[at]}`,
      `--routes=${peers.join(",")}`,
      `--http_port=${monitors[at]}`,
    ]);
  const servers: EmbeddedNats[] = await Promise.all(clients.map((_, at) => start(at)));

  const monitorUrls = monitors.map((port) => `http://127.0.0.1:${port}`);
  const figures = (at: number): Promise<Figures> =>
    fetch(`${monitorUrls[at]}/varz`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.json() as Promise<Figures>,
      () => ({ connections: 0, routes: 0 }),
    );
  const isRouted = (at: number) => async () => (await figures(at)).routes >= SERVERS - 1;

  await Promise.all(clients.map((_, at) => until(isRouted(at), `routes of NATS server ${at}`)));
  return {
    url: clients.map((port) => `nats://127.0.0.1:${port}`).join(","),
    monitorUrls,
    async busiest() {
      const counts = await Promise.all(clients.map(async (_, at) => (await figures(at)).connections));
      return counts.indexOf(Math.max(...counts));
    },
    kill: async (at) => servers[at]?.kill("SIGKILL"),
    async restart(at) {
      servers[at] = await start(at);
      await until(isRouted(at), `routes of NATS server ${at}`);
    },
    stop: async () => void (await Promise.all(servers.map((server) => server.kill("SIGKILL")))),
  };
}
