import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Arena, Contender, DuePost } from "./contender.ts";

/** A rival in a process of its own, which is told of the arena and of the posts, and says when it has them. */
export async function startRival(name: string, file: string, arena: Arena): Promise<Contender> {
  const child = fork(join(import.meta.dirname, file), { stdio: "inherit" });
  await tell(child, { arena });
  return {
    name,
    pids: [child.pid as number],
    takeIn: (posts) => tell(child, { posts }),
    async stop() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function tell(child: ChildProcess, message: { readonly arena: Arena } | { readonly posts: readonly DuePost[] }) {
  const heard = once(child, "message");
  child.send(message);
  await Promise.race([heard, once(child, "exit").then(([code]) => Promise.reject(new Error(`ended with ${code}`)))]);
}

/** In the rival's process: does what the rival does with what it is told. */
export function answerBench(meet: (arena: Arena) => Promise<(posts: readonly DuePost[]) => Promise<void>>): void {
  let takeIn: ((posts: readonly DuePost[]) => Promise<void>) | undefined;
  process.on("message", (message: { readonly arena?: Arena; readonly posts?: readonly DuePost[] }) => {
    const { arena, posts = [] } = message;
    const work = arena === undefined ? takeIn?.(posts) : meet(arena).then((ready) => void (takeIn = ready));
    void Promise.resolve(work).then(() => process.send?.("done"));
  });
}
