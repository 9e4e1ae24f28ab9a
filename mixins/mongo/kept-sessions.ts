import type { Connection } from "mongoose";

type Database = NonNullable<Connection["db"]>;
type Session = ReturnType<Database["client"]["startSession"]>;

/** As many as a client has connections, twice: more commands than that wait for their turn. */
const MAX_KEPT = 100;

/** By the client they are of: sessions that no command is under way in. */
const idle = new WeakMap<Database["client"], Session[]>();

/**
 * A command's reply, in a session that is kept for the next command. The driver by itself makes one for each and keeps all of
 * them in a Set, whose outgrown tables hold on to replies (see mixins/async/in-flight-map.ts).
 *
 * One command at a time uses a session; as many are kept as were ever in use at once, a hundred at most, and end with their
 * client. They order nothing that a session of the driver's would not; the server forgets one after half an hour at rest and
 * knows it again by its next command. After an error the session is given back: nobody knows what the server holds of it.
 */
export async function runInSession(db: Database, command: object): Promise<object> {
  const { client } = db;
  const sessions = idle.get(client) ?? [];
  idle.set(client, sessions);
  const session = sessions.pop() ?? client.startSession({ causalConsistency: false });
  let isKept = false;
  try {
    const reply = await db.command(command, { session });
    isKept = sessions.length < MAX_KEPT;
    return reply;
  } finally {
    if (isKept) sessions.push(session);
    else await session.endSession();
  }
}
