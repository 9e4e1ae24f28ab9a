import { jsonAnswer } from "./answer.ts";
import type { Page } from "./page.ts";

/** For an orchestrator: the process is there, and everything that it needs is. `missing` names what is not. */
export function healthPages(missing: () => Promise<readonly string[]>): readonly Page[] {
  return [
    { path: "/health/live", answer: () => jsonAnswer(200, { status: "live" }) },
    {
      path: "/health/ready",
      async answer() {
        const names = await missing();
        return names.length === 0
          ? jsonAnswer(200, { status: "ready" })
          : jsonAnswer(503, { status: "not ready", missing: names }, { "retry-after": "1" });
      },
    },
  ];
}
