import process from "node:process";
import { Agent, type Dispatcher } from "undici";

interface Sending {
  dispatch: (this: Sending, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;
}

// Loaded before a service (`node --import`). The process crashes, as after a fault in native code, when it begins to
// send the post of event number 0 of its run.
const POISON = /event \d+\/0"/;

const client = Agent.prototype as unknown as Sending;
const { dispatch } = client;

client.dispatch = function dieOrDispatch(options, handler) {
  if (typeof options.body === "string" && POISON.test(options.body)) process.kill(process.pid, "SIGKILL");
  return dispatch.call(this, options, handler);
};
