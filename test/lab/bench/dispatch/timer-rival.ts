import { answerBench } from "./rival-process.ts";
import { receiverClient } from "./receiver-client.ts";

/** The floor: a timer for each post and nothing else. It remembers nothing, and checks nothing. */
answerBench(async (arena) => {
  const post = receiverClient(arena);
  return async (posts) => {
    for (const due of posts) setTimeout(() => void post(due), due.dueAt - Date.now());
  };
});
