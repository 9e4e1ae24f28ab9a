import { ClientRequest } from "node:http";
import process from "node:process";

interface Sending {
  end: (...args: unknown[]) => unknown;
}

// Loaded before a service (`node --import`): the process dies, as of a fault in native code, when it begins to send
// the post of the event that is number 0 of its run.
const POISON = /event \d+\/0"/;

const client = ClientRequest.prototype as unknown as Sending;
const { end } = client;

client.end = function dieOrEnd(this: Sending, ...args) {
  if (typeof args[0] === "string" && POISON.test(args[0])) process.kill(process.pid, "SIGKILL");
  return end.apply(this, args);
};
