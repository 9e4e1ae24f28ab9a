import process from "node:process";
import { Agent, type Dispatcher } from "undici";

// Loaded before a service (`node --import`): the process dies, as of a fault in native code, when it begins to send
// the post of the event that is number 0 of its run.
const POISON = /event \d+\/0"/;

const { dispatch } = Agent.prototype;

Agent.prototype.dispatch = function dieOrDispatch(
  this: Agent,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): boolean {
  if (typeof options.body === "string" && POISON.test(options.body)) process.kill(process.pid, "SIGKILL");
  return dispatch.call(this, options as never, handler);
};
