import { connect } from "nats";

/** Sends every process a packet that is not one of Moleculer's, which they refuse and count. */
export async function sendRefusedPacket(natsUrl: string): Promise<void> {
  const connection = await connect({ servers: natsUrl.split(",") });
  connection.publish("MOL-guildcal.INFO");
  await connection.flush();
  await connection.close();
}
