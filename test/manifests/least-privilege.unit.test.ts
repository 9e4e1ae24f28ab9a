import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PERMISSION_FILES } from "../../k8s/write-permissions.ts";
import { ratesUsed } from "../../services/api/rates/gateway-rates.ts";
import { readEncodedChanges } from "../../services/contracts/guild-changes.contract.ts";
import { encodeOccurrences } from "../../services/contracts/occurrence-notifications.contract.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { apiKeyChanged } from "../../services/contracts/api-keys.contract.ts";
import { BUS_EVENTS, ALL_BUS_SUBJECTS } from "../../services/api/bus/bus-user.ts";
import { ROUTE_CONTRACTS } from "../../services/api/route-table.ts";
import {
  busUserPermissions,
  natsPermissions,
  MESSAGE_FLOW,
} from "../../services/launch/permissions/nats-permissions.ts";
import { natsUsersFile } from "../../services/launch/permissions/nats-users.ts";
import { databasePrivileges, schemaCollection } from "../../services/launch/permissions/database-privileges.ts";
import { makeService, readSettings } from "../../services/launch/run/service-factories.ts";
import { readSources } from "../architecture/source-file.ts";
import { K8S } from "./overlays.ts";
import { contractImports } from "./contract-imports.ts";
import { OWNERS, type ServiceName, SERVICES } from "../../services/contracts/service-names.ts";

const settings = readSettings({
  API_KEY_PEPPER: "pepper-of-the-tests-0123456789abcdef",
  WEBHOOKS_KEY: "webhooks-key-of-the-tests-0123456789abcdef",
});
const schemaOf = (service: ServiceName) =>
  makeService(service, { mongoUrl: "", settings, onFirstKey: () => {}, onListening: () => {} });

/** The sources of a service, as one text. */
function sourceOf(service: string): string {
  const files = readSources("services").filter(({ path }) => path.startsWith(`services/${service}/`));
  return files
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .map(({ text }) => text)
    .join("\n");
}

describe("each service's database user", () => {
  const granted = (service: ServiceName) => databasePrivileges(service).map(({ resource }) => resource.collection);

  test.each(SERVICES)("that of %s has exactly the service's collections", (service) => {
    const own = [...sourceOf(service).matchAll(/\bcollection: "([a-z_]+)"/g)].map(([, name]) => name);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(granted(service))).toEqual(new Set([...own, schemaCollection(service)]));
  });

  test("no two services share a collection", () => {
    const all = SERVICES.flatMap(granted);
    expect(all).toEqual([...new Set(all)]);
  });

  test("no service has privileges on a whole database", () => {
    const privileges = SERVICES.flatMap(databasePrivileges);
    expect(privileges.filter(({ resource: { db, collection } }) => db !== "guildcal" || collection === "")).toEqual([]);
    const actions = new Set(privileges.flatMap((privilege) => privilege.actions));
    const known = ["createCollection", "createIndex", "find", "insert", "listIndexes", "remove", "update"];
    expect([...actions].toSorted()).toEqual(known);
  });

  test("every collection has a shard key, except those without a guild", () => {
    const text = readFileSync(join(K8S, "components/sharded-mongodb/shard-keys.json"), "utf8");
    const ofNoGuild = [
      "api_keys",
      "api_key_changes",
      "bus_users",
      "idempotency_records",
      "lost_writes",
      "feed_marks",
      "notification_feed_marks",
      "dispatch_heartbeat",
      "sinks",
      "zone_rules",
    ];
    const sharded = Object.keys(JSON.parse(text) as object);
    const schemas = SERVICES.map(schemaCollection);
    expect([...sharded, ...ofNoGuild, ...schemas].toSorted()).toEqual(SERVICES.flatMap(granted).toSorted());
  });
});

describe("the messages of a service on the bus", () => {
  test.each(SERVICES)("%s may call exactly the actions in its sources", async (service) => {
    const { actions } = await contractImports(service);
    // The gateway serves and calls its own actions, except those for webhooks; other services do not call their own.
    const isCalled = (name: string) =>
      !name.startsWith(`${service}.`) ||
      (service === "api" && name !== readEncodedChanges.name && name !== encodeOccurrences.name);
    const named = actions.filter(isCalled);
    const called = MESSAGE_FLOW[service].calls.map(({ name }) => name).filter((name) => !name.endsWith(".health"));
    expect([...new Set(called)].toSorted()).toEqual(named);
  });

  test.each(SERVICES)("%s may publish and subscribe to exactly the events in its sources", async (service) => {
    const { events } = await contractImports(service);
    const [broadcasts, listensTo] = [MESSAGE_FLOW[service].broadcasts, MESSAGE_FLOW[service].listensTo].map((all) =>
      all.map(({ name }) => name),
    );
    const ofItsOwn = service === "api" ? [ratesUsed.name] : [];
    expect([...new Set([...broadcasts!, ...listensTo!])].toSorted()).toEqual([...events, ...ofItsOwn].toSorted());
    expect(Object.keys((await schemaOf(service)).events ?? {}).toSorted()).toEqual(listensTo!.toSorted());
  });

  test("a service with another action in its sources is found", async () => {
    const { actions, events } = await contractImports("dispatch");
    expect(actions).toEqual(expect.arrayContaining(["announcements.changesSince", "dispatch.preview"]));
    expect(events).toContain("announcement.posted");
  });
});

describe("each service's bus user", () => {
  function subjects(service: ServiceName, verb: "publish" | "subscribe", command: string): string[] {
    const start = `MOL-guildcal.${command}.`;
    const { [verb]: all } = natsPermissions(service);
    return all.filter((subject) => subject.startsWith(start)).map((subject) => subject.slice(start.length));
  }

  test.each(SERVICES)("that of %s serves exactly the service's actions", async (service) => {
    const { actions = {}, mixins = [] } = await schemaOf(service);
    const served = [actions, ...mixins.map((mixin) => mixin.actions ?? {})].flatMap((each) => Object.keys(each));
    expect(subjects(service, "subscribe", "REQB")).toEqual(served.map((verb) => `${service}.${verb}`).toSorted());
  });

  test("the gateway's may call no internal actions except health checks, feeds and changed records", () => {
    const internal = EVERY_ACTION.filter(({ keys }) => keys === "none").map(({ name }) => name);
    const called = subjects("api", "publish", "REQB").filter((name) => internal.includes(name));
    expect(internal.length).toBeGreaterThan(called.length);
    const health = OWNERS.map((name) => `${name}.health`);
    const feeds = ["calendar-events.openFeed", "calendar-events.readFeedPage"];
    const changed = [
      "announcements.listChanged",
      "calendar-events.listChanged",
      "calendar-events.listChangedCalendars",
      "dispatch.listSettled",
      "guild-settings.listChanged",
      "webhooks.listChanged",
    ];
    expect(called).toEqual([...health, ...feeds, ...changed].toSorted());
  });

  test.each(SERVICES)("that of %s may reply only to services that call it", (service) => {
    const called = (other: ServiceName) => MESSAGE_FLOW[other].calls.some(({ name }) => name.startsWith(`${service}.`));
    expect(subjects(service, "publish", "RES")).toEqual(
      SERVICES.filter(called)
        .map((other) => `${other}.*`)
        .toSorted(),
    );
  });

  test.each(SERVICES)("that of %s gets only messages to the service", (service) => {
    const ofBusUsers = service === "api" ? [ALL_BUS_SUBJECTS] : [];
    const all = natsPermissions(service).subscribe.filter((subject) => /[*>]/.test(subject));
    const received = all.filter((subject) => !ofBusUsers.includes(subject));
    expect(all.length - received.length).toBe(ofBusUsers.length);
    expect(received.filter((subject) => !/^MOL-guildcal\.[A-Z]+\.[a-z-]+(?:\.\*){1,2}$/.test(subject))).toEqual([]);
    expect(new Set(received.map((subject) => subject.split(".")[2]))).toEqual(new Set([service]));
  });

  test("no service may call one process, Moleculer's internal actions, or actions by a wildcard", () => {
    const published = SERVICES.flatMap((service) => natsPermissions(service).publish);
    const among = published.filter((subject) => subject.startsWith("MOL-guildcal."));
    expect(among.filter((subject) => /\.REQ\.|\$node|\.REQB\..*[*>]|>/.test(subject))).toEqual([]);
    expect(published.filter((subject) => !among.includes(subject))).toEqual([ALL_BUS_SUBJECTS]);
  });
});

describe("a bus user", () => {
  const permissions = (access: "read" | "write") => busUserPermissions({ name: "shop-bot", access });
  const called = (access: "read" | "write") =>
    permissions(access)
      .publish.filter((subject) => subject.includes(".REQB."))
      .map((subject) => subject.split(".REQB.")[1]);
  const ofKeys = (...keys: string[]) => [
    ...new Set(ROUTE_CONTRACTS.filter((contract) => keys.includes(contract.keys)).map(({ name }) => name)),
  ];

  test("may call exactly the actions that guild keys with the same access reach over HTTP", () => {
    expect(called("read")).toEqual(ofKeys("guild read").toSorted());
    expect(called("write")).toEqual(ofKeys("guild read", "guild write").toSorted());
    expect(called("read").length).toBeGreaterThan(5);
  });

  test("publishes and subscribes only in its own namespace, and serves no calls there", () => {
    const { publish, subscribe } = permissions("write");
    const own = "MOL-guildcal-bus.shop-bot.";
    expect([...publish, ...subscribe].filter((subject) => !subject.startsWith(own))).toEqual([]);
    expect(publish.filter((subject) => /\.(?:RES|REQ|EVENT|EVENTB)\b/.test(subject))).toEqual([]);
  });

  test("gets the events of the contracts with a guild", async () => {
    const all = (await Promise.all(SERVICES.map(contractImports))).flatMap(({ events }) => events);
    expect(BUS_EVENTS.map(({ name }) => name)).toEqual(
      [...new Set(all)].filter((name) => name !== apiKeyChanged.name).toSorted(),
    );
    expect(BUS_EVENTS.filter(({ payload }) => payload.guildId === undefined)).toEqual([]);
  });

  test("is accepted by its public key", () => {
    const publicKey = `U${"A".repeat(55)}`;
    const conf = natsUsersFile([{ name: "shop-bot", access: "read", publicKey }]);
    expect(conf).toContain(`nkey: ${publicKey} # shop-bot`);
    expect(conf.match(/password: \$[A-Z_]+_PASSWORD$/gm)).toHaveLength(SERVICES.length);
  });
});

test.each(Object.entries(PERMISSION_FILES))("k8s/%s is the output of `npm run permissions`", (path, text) => {
  expect(readFileSync(join(K8S, path), "utf8")).toBe(text);
});
