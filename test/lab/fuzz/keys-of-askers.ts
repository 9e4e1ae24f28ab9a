import { type Asker, GUILDS } from "./any-step.ts";

type Post = (path: string, body: object) => Promise<{ readonly body: Readonly<Record<string, unknown>> }>;

/** A key for each asker, made by an operator. */
export async function keysOfAskers(postAsOperator: Post): Promise<Record<Asker, string>> {
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
