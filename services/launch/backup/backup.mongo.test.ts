import { appendFile, mkdir, mkdtemp, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { removeFolder } from "../../../test/harness/remove-folder.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { recordSchemaVersion, SCHEMA_VERSION } from "../run/schema-version.ts";
import { fileName, MANIFEST, type Manifest, manifestText } from "./backup-folder.ts";
import { restoreBackup } from "./restore-backup.ts";
import { type DocumentSource, openSnapshot } from "./snapshot.ts";
import { ALL_COLLECTIONS, deleteOldBackups, writeBackup } from "./write-backup.ts";

const { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } = mongoose.mongo;
const FIRST = ALL_COLLECTIONS.at(0) as string;
const LAST = ALL_COLLECTIONS.at(-1) as string;
/** Further writes between the read of the first and of the last collection. */
const WRITES_BETWEEN = 20;

type Row = { readonly _id: string; readonly n?: number };

describe("a backup", () => {
  let folder: string;
  let connection: Connection;
  let other: Connection;

  const rows = (name: string, of = connection) => of.collection<Row>(name);
  const noIndexes = async () => undefined;

  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "guildcal-backup-"))));
  afterAll(() => removeFolder(folder));
  beforeEach(async () => {
    const options = { autoIndex: false, autoCreate: false, writeConcern: { w: "majority" } } as const;
    [connection, other] = (await Promise.all(
      [1, 2].map(() => mongoose.createConnection(emptyDatabase(), options).asPromise()),
    )) as [Connection, Connection];
  });
  afterEach(async () => {
    for (const each of [connection, other]) {
      await each.dropDatabase();
      await each.close();
    }
  });

  const backUp = async (parent = folder) => writeBackup(parent, await openSnapshot(connection));

  async function fill(): Promise<void> {
    await rows("guild_settings_schema").insertOne({
      _id: "schema",
      newest: SCHEMA_VERSION,
      oldest: SCHEMA_VERSION,
    } as Row);
    await rows("announcements").insertMany([{ _id: "a" }, { _id: "b" }]);
  }

  async function everything(of: Connection): Promise<Record<string, Buffer[]>> {
    const all: Record<string, Buffer[]> = {};
    // The restore itself writes `lost_writes`.
    for (const name of ALL_COLLECTIONS.filter((each) => each !== "lost_writes")) {
      const found = await of
        .collection(name)
        .find({}, { raw: true, sort: { _id: 1 } })
        .toArray();
      if (found.length > 0) all[name] = found as unknown as Buffer[];
    }
    return all;
  }

  describe("while others write", () => {
    let writer = new AbortController();
    let writes = 0;
    let writing: Promise<void>;

    /** Writes a number to the first and last collection in one transaction, and one after the other. */
    async function write(): Promise<void> {
      const upsert = (name: string, _id: string, options: object = {}) =>
        rows(name).updateOne({ _id }, { $inc: { n: 1 } }, { upsert: true, ...options });
      while (!writer.signal.aborted) {
        const session = await connection.startSession();
        await session.withTransaction(async () => {
          await upsert(FIRST, "together", { session });
          await upsert(LAST, "together", { session });
        });
        await session.endSession();
        await upsert(FIRST, "before");
        await upsert(LAST, "after");
        writes += 1;
      }
    }

    beforeEach(async () => {
      [writer, writes] = [new AbortController(), 0];
      for (const name of [FIRST, LAST]) await rows(name).insertOne({ _id: "schema", n: 0 });
      writing = write();
      await until(() => writes > 0, "a first write");
    });
    afterEach(async () => {
      writer.abort();
      await writing;
    });

    /** Before the last collection is read, there are further writes. */
    function withWrites(source: DocumentSource): DocumentSource {
      return {
        get moment() {
          return source.moment;
        },
        async *read(collection) {
          const before = writes;
          if (collection === LAST) await until(() => writes >= before + WRITES_BETWEEN, "further writes");
          yield* source.read(collection);
        },
        close: () => source.close(),
      };
    }

    /** Whether the restored numbers are those of one moment. */
    async function isOneMoment(source: DocumentSource): Promise<boolean> {
      const { path } = await writeBackup(folder, withWrites(source));
      writer.abort();
      await writing;
      await restoreBackup(other, path, noIndexes);
      const read = async (name: string, _id: string) => (await rows(name, other).findOne({ _id }))?.n ?? 0;
      const [first, last] = [await read(FIRST, "together"), await read(LAST, "together")];
      const ahead = (await read(FIRST, "before")) - (await read(LAST, "after"));
      return first > 0 && first === last && (ahead === 0 || ahead === 1);
    }

    test("has the state of one moment: no half transaction, and no write without those before it", async () => {
      await expect(isOneMoment(await openSnapshot(connection))).resolves.toBe(true);
    });

    test("would have parts of several moments if it read without a snapshot", async () => {
      const plain: DocumentSource = {
        moment: Timestamp.fromBits(1, 1_700_000_000),
        read: (name) => connection.collection(name).find({}, { raw: true }) as unknown as AsyncIterable<Uint8Array>,
        close: async () => undefined,
      };
      await expect(isOneMoment(plain)).resolves.toBe(false);
    });
  });

  test("restores every document byte for byte, and the types of its values", async () => {
    await fill();
    const values = [
      new Double(1),
      new Int32(1),
      Long.fromNumber(1),
      Decimal128.fromString("1.10"),
      new Date(1),
      new ObjectId(),
      new Binary(Buffer.from([1, 2])),
      new Timestamp({ t: 1, i: 2 }),
      /a/i,
      null,
      true,
      ["a", { b: new Double(2) }],
      "",
      "ä€𝄞",
    ];
    await connection.collection("posts").insertOne({ values, $dollar: 1 });
    const many = Array.from({ length: 5_000 }, (_, at) => ({ _id: `m${at}`, text: "x".repeat(at) }));
    await connection.collection<Row>("calendar_events").insertMany(many);
    await until(() => isInserted(connection, { large: "x".repeat(15 * 1024 * 1024) }), "the large document is stored");
    const { path, manifest } = await backUp();
    await restoreBackup(other, path, noIndexes);
    const [stored, restored] = [await everything(connection), await everything(other)];
    expect(Object.keys(restored)).toEqual(Object.keys(stored));
    for (const [name, documents] of Object.entries(stored)) {
      expect(restored[name]?.length).toBe(documents.length);
      expect(documents.every((document, at) => document.equals(restored[name]?.[at] ?? Buffer.alloc(0)))).toBe(true);
    }
    expect(manifest.files.find(({ collection }) => collection === "calendar_events")?.documents).toBe(5_000);
    expect(Date.parse(manifest.moment)).toBeLessThanOrEqual(Date.now());
  });

  test.each<readonly [what: string, damage: (path: string) => Promise<void>, message: string]>([
    ["a truncated file", (path) => truncate(join(path, fileName("announcements")), 20), "is truncated or was changed"],
    [
      "a changed file",
      async (path) => {
        const file = join(path, fileName("announcements"));
        const bytes = await readFile(file);
        bytes[bytes.length - 1]! ^= 1;
        await writeFile(file, bytes);
      },
      "is truncated or was changed",
    ],
    ["a longer file", (path) => appendFile(join(path, fileName("announcements")), "x"), "is truncated or was changed"],
    [
      "a changed manifest",
      (path) => edited(path, (text) => text.replace('"documents": 2', '"documents": 3')),
      "was changed",
    ],
    ["a truncated manifest", (path) => truncate(join(path, MANIFEST), 30), "is truncated or was changed"],
    ["no manifest", (path) => removeFolder(join(path, MANIFEST)), "is no complete backup"],
    ["a missing file", (path) => removeFolder(join(path, fileName("posts"))), "is missing"],
    ["another format", (path) => rewritten(path, { format: 2 }), "has format 2, and this release knows 1"],
    [
      "a schema version that this release does not know",
      (path) => rewritten(path, { schema: { announcements: { newest: SCHEMA_VERSION + 2, oldest: SCHEMA_VERSION } } }),
      `start a release of schema version ${SCHEMA_VERSION + 1} or newer`,
    ],
  ])("with %s is refused, and nothing is changed", async (_what, damage, message) => {
    await fill();
    const { path } = await backUp();
    await damage(path);
    await expect(restoreBackup(other, path, noIndexes)).rejects.toThrow(message);
    await expect(other.listCollections()).resolves.toEqual([]);
  });

  test("is not restored into a database with documents, which stay as they are", async () => {
    await fill();
    const { path } = await backUp();
    await rows("posts", other).insertOne({ _id: "theirs" });
    await expect(restoreBackup(other, path, noIndexes)).rejects.toThrow("is not empty (posts)");
    expect(Object.keys(await everything(other))).toEqual(["posts"]);
  });

  test("that was restored in part is recognised, and a further restore begins at the start", async () => {
    await fill();
    await rows("posts").insertOne({ _id: "p" });
    const { path } = await backUp();
    const fails = () => Promise.reject(new Error("the process ended"));
    await expect(restoreBackup(other, path, fails)).rejects.toThrow("the process ended");
    const url = urlOf(other);
    await expect(recordSchemaVersion(url, "guild-settings")).rejects.toThrow(
      "The restore of the data of guild-settings is not",
    );
    await expect(writeBackup(folder, await openSnapshot(other))).rejects.toThrow("unfinished restore");
    await rows("announcements", other).insertOne({ _id: "of another backup" });
    await restoreBackup(other, path, noIndexes);
    await expect(everything(other)).resolves.toEqual(await everything(connection));
    await expect(recordSchemaVersion(url, "guild-settings")).resolves.toBeUndefined();
  });

  test("of a database without data of guildcal is refused", async () => {
    const parent = join(folder, "none");
    await expect(backUp(parent)).rejects.toThrow("no data of guildcal");
    await expect(readdir(parent)).resolves.toEqual([]);
  });

  test("takes the place of an interrupted one, and only the latest stay", async () => {
    await fill();
    const parent = join(folder, "kept");
    await mkdir(join(parent, "in-progress.partial"), { recursive: true });
    await writeFile(join(parent, "notes"), "");
    const names: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      await rows("posts").insertOne({ _id: `p${at}` });
      names.push((await backUp(parent)).path.slice(parent.length + 1));
    }
    expect(names).toEqual(names.toSorted());
    await expect(deleteOldBackups(parent, 2)).resolves.toEqual(names.slice(0, 1));
    await expect(readdir(parent)).resolves.toEqual([...names.slice(1), "notes"]);
  });

  function urlOf(of: Connection): string {
    return emptyDatabase().replace(/test_[^?]*/, of.name);
  }
});

/** Resolves to false if the storage engine rolled the insert back, as a busy one may do with a large document. */
function isInserted(connection: Connection, document: object): Promise<boolean> {
  const rolledBack = /will not fit in the storage engine cache/;
  return connection
    .collection("api_keys")
    .insertOne({ ...document })
    .then(
      () => true,
      (error: unknown) => {
        if (rolledBack.test(String(error))) return false;
        throw error;
      },
    );
}

async function edited(path: string, change: (text: string) => string): Promise<void> {
  const file = join(path, MANIFEST);
  const text = await readFile(file, "utf8");
  const after = change(text);
  if (after === text) throw new Error("nothing to change");
  await writeFile(file, after);
}

/** A manifest with other fields, and its own checksum. */
async function rewritten(path: string, fields: Partial<Manifest>): Promise<void> {
  await edited(path, (text) => {
    const { sha256: _, ...manifest } = JSON.parse(text) as Manifest & { readonly sha256: string };
    return manifestText({ ...manifest, ...fields });
  });
}
