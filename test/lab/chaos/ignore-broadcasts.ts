import { NatsTransporter } from "../../../mixins/bus/nats-transporter.ts";

interface Receiving {
  receive: (this: NatsTransporter, command: string, data: Buffer) => void | Promise<void>;
}

// Loaded before a service (`node --import`). Drops every broadcast that reaches the process.
const transporter: Receiving = NatsTransporter.prototype;
const { receive } = transporter;

transporter.receive = function dropEvents(command, data) {
  return command === "EVENT" ? undefined : receive.call(this, command, data);
};
