import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import { K8S } from "./overlays.ts";

const SCRIPT = readFileSync(join(K8S, "components/mongodb/set-up.js"), "utf8");
const MEMBERS = ["mongodb-0:27017", "mongodb-1:27017", "mongodb-2:27017"] as const;

/** The state of a member: it does not respond, or belongs to no set, or belongs to one. */
type State = "down" | "alone" | "in a set";

/**
 * Runs the script beside the first member, which has no set, until it has initiated one or waits for long. `stateAt` is the
 * state of another member after so many seconds. Resolves with the seconds until it initiated a set, or undefined.
 */
function secondsUntilInitiated(stateAt: (host: string, seconds: number) => State): number | undefined {
  let [seconds, initiatedAt] = [0, undefined as number | undefined];
  const end = new Error("the end of the trial");
  const self = {
    adminCommand(command: object) {
      if ("replSetGetStatus" in command) throw Object.assign(new Error("none"), { codeName: "NotYetInitialized" });
      if (!("replSetInitiate" in command)) throw end;
      initiatedAt ??= seconds;
      throw end;
    },
  };
  const connect = (url: string) => {
    const host = MEMBERS.slice(1).find((member) => url.includes(member));
    if (host === undefined) return self;
    const state = stateAt(host, seconds);
    if (state === "down") throw new Error("ECONNREFUSED");
    return { adminCommand: () => (state === "in a set" ? { setName: "guildcal" } : {}) };
  };
  const files = { existsSync: () => false, readFileSync: () => "{}" };
  const globals = {
    process: { env: { MEMBERS: MEMBERS.join(",") } },
    require: () => files,
    connect,
    print: () => undefined,
    sleep: (ms: number) => void (seconds += ms / 1_000),
  };
  expect(() => runInNewContext(SCRIPT, globals)).toThrow(/end of the trial|belongs to a set|ECONNREFUSED/);
  return initiatedAt;
}

describe("the script beside the first member of MongoDB", () => {
  test("initiates a set when every other member has responded that it belongs to none", () => {
    expect(secondsUntilInitiated(() => "alone")).toBe(0);
    expect(secondsUntilInitiated((host, seconds) => (host === MEMBERS[2] && seconds < 30 ? "down" : "alone"))).toBe(30);
  });

  test("initiates none while another member is down, or belongs to a set whose data this one has lost", () => {
    expect(secondsUntilInitiated((host) => (host === MEMBERS[1] ? "down" : "alone"))).toBeUndefined();
    expect(secondsUntilInitiated((host) => (host === MEMBERS[2] ? "in a set" : "alone"))).toBeUndefined();
  });
});
