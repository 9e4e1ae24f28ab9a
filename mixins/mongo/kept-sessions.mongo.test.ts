import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import mongoose, { type ClientSession, type Connection } from "mongoose";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import { runInSession } from "./kept-sessions.ts";

describe("sessions that are kept", () => {
  let connection: Connection;
  let begun = 0;
  /** The sessions of the commands, in the order in which they were sent. */
  const used: string[] = [];

  const ping = () => runInSession(connection.db!, { ping: 1 });

  beforeAll(async () => {
    connection = await mongoose.createConnection(emptyDatabase(), { monitorCommands: true }).asPromise();
    const client = connection.getClient();
    const startSession = client.startSession.bind(client);
    client.startSession = (options) => {
      begun += 1;
      return startSession(options);
    };
    client.on("commandStarted", ({ command }) => used.push(command["lsid"].id.toString("hex")));
  });
  beforeEach(() => {
    begun = 0;
    used.length = 0;
  });
  afterAll(() => connection.close());

  test("the next command uses the session of the last", async () => {
    await ping();
    begun = 0;
    for (let time = 0; time < 5; time += 1) await expect(ping()).resolves.toMatchObject({ ok: 1 });
    expect(begun).toBe(0);
    expect(new Set(used).size).toBe(1);
  });

  test("no two commands use one at the same time, and all are kept", async () => {
    await Promise.all(Array.from({ length: 8 }, ping));
    expect(new Set(used).size).toBe(8);
    begun = 0;
    await Promise.all(Array.from({ length: 8 }, ping));
    expect(begun).toBe(0);
  });

  test("a hundred are kept at most", async () => {
    const crowd = () => Promise.all(Array.from({ length: 105 }, ping));
    await crowd();
    begun = 0;
    await crowd();
    expect(begun).toBe(5);
  });

  test("after an error another is begun", async () => {
    const crowd = () => Promise.all(Array.from({ length: 100 }, ping));
    await crowd();
    begun = 0;
    await expect(runInSession(connection.db!, { noSuchCommand: 1 })).rejects.toThrow(/no such command/);
    expect(begun).toBe(0);
    await crowd();
    await crowd();
    expect(begun).toBe(1);
  });

  test("they end with their client", async () => {
    const other = await mongoose.createConnection(emptyDatabase()).asPromise();
    const startSession = jest.spyOn(other.getClient(), "startSession");
    await runInSession(other.db!, { ping: 1 });
    const session = startSession.mock.results[0]?.value as ClientSession;
    expect(session.hasEnded).toBe(false);
    await other.close();
    expect(session.hasEnded).toBe(true);
  });
});
