import { type KeyName, GUILDS } from "./any-step.ts";

type Post = (path: string, body: object) => Promise<{ readonly body: Readonly<Record<string, unknown>> }>;

/** Creates an API key of each kind, with the operator's key. */
export async function fuzzKeys(postAsOperator: Post): Promise<Record<KeyName, string>> {
  const make = async (key: object) =>
    String((await postAsOperator("/admin/keys/create", { access: "write", label: "fuzz", ...key })).body["key"]);
  return {
    "guild 0": await make({ kind: "guild", guilds: [GUILDS[0]] }),
    "guild 1": await make({ kind: "guild", guilds: [GUILDS[1]] }),
    "reader of guild 0": await make({ kind: "guild", guilds: [GUILDS[0]], access: "read" }),
    service: await make({ kind: "service" }),
    operator: await make({ kind: "operator" }),
  };
}
