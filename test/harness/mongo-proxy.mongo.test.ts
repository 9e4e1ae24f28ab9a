import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { type Command, type MongoProxy, startMongoProxy } from "./mongo-proxy.ts";
import { emptyDatabase } from "./test-services.ts";

describe("a proxy that loses responses of MongoDB", () => {
  let proxy: MongoProxy;
  let direct: mongoose.Connection;
  let behind: mongoose.Connection;

  beforeAll(async () => {
    const url = emptyDatabase();
    const { port } = new URL(url);
    proxy = await startMongoProxy(Number(port));
    direct = await mongoose.createConnection(url).asPromise();
    behind = await mongoose.createConnection(url.replace(`:${port}/`, `:${proxy.port}/`)).asPromise();
  });
  afterAll(async () => {
    await behind.close();
    await direct.close();
    await proxy.stop();
  });

  const insert = (name: string) => behind.collection("things").insertOne({ name });
  const count = (name: string) => direct.collection("things").countDocuments({ name });

  test("forwards other commands and their responses", async () => {
    await insert("response");
    expect(await count("response")).toBe(1);
    expect(proxy.lost).toBe(0);
  });

  test("loses the response to a write that is applied once, and to the driver's retry, and then forwards responses again", async () => {
    const isUnanswered = ({ insert: into, documents }: Command) =>
      into === "things" && (documents as readonly { readonly name: string }[])[0]?.name === "noResponse";
    proxy.lose(isUnanswered, 1);
    await insert("another");
    await expect(insert("noResponse")).rejects.toMatchObject({ name: "MongoNetworkError" });
    expect(await count("noResponse")).toBe(1);
    expect(proxy.lost).toBe(1);
    await insert("answered again");
    expect(await count("answered again")).toBe(1);
  });
});
