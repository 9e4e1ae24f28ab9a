import { NatsTransporter } from "../../../mixins/bus/nats-transporter.ts";

/** What the base class has and its type declarations leave out. */
interface Receiving {
  incomingMessage: (command: string, message: Buffer) => unknown;
}

// Loaded before a service (`node --import`): every broadcast that reaches its process is dropped.
const transporter = NatsTransporter.prototype as unknown as Receiving;
const receiveAny = transporter.incomingMessage;

transporter.incomingMessage = function dropEvents(this: Receiving, command, message) {
  return command === "EVENT" ? undefined : receiveAny.call(this, command, message);
};
