import { serviceProcess } from "../../../harness/service-process.ts";

/** Kills the process of a service with SIGKILL; false if none runs at the moment. */
export function killService(supervisor: number, name: string): Promise<boolean> {
  return serviceProcess(supervisor, name).then(
    (pid) => process.kill(pid, "SIGKILL"),
    () => false,
  );
}
