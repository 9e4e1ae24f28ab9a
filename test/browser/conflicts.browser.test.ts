import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild, type OpenConsole } from "./console-under-test.ts";

const UPDATE = "**/v2/events/update";

describe("a change that cannot be stored", () => {
  let service: ConsoleUnderTest;
  let guild: Guild;
  let id: string;
  let opened: OpenConsole;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  // Every test has the form of an event open, with a name that is not stored yet.
  beforeEach(async () => {
    guild = await service.newGuild();
    id = await guild.event("2026-11-25T19:00:00Z", { name: "Raid night", location: "Here" });
    opened = await service.open(guild);
    await opened.go("calendar/month/2026-11-25");
    await opened.button(/Raid night/).click();
    await opened.dialog().getByLabel("Name").fill("Mine");
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  const stored = () => guild.post("/v2/events/get", { calendar_number: 1, event_id: id });
  const changeMeanwhile = (fields: object) =>
    guild.post("/v2/events/update", { calendar_number: 1, event_id: id, ...fields });
  const save = () => opened.dialog().getByRole("button", { name: "Save" }).click();
  const name = () => opened.dialog().getByLabel("Name").inputValue();
  const choose = (choice: string) => opened.dialog().getByRole("button", { name: choice }).click();

  test("since another revision is stored (412) shows the three states, and changes nothing without a choice", async () => {
    await changeMeanwhile({ name: "Theirs", location: "There" });
    await save();
    const rows = opened.dialog().locator("tbody tr");
    await rows.first().waitFor();
    expect((await rows.allInnerTexts()).map((row) => row.split(/\t|\n/).filter((cell) => cell !== ""))).toEqual([
      ["Name", "Raid night", "Theirs", "Mine"],
      ["Location", "Here", "There", "Here"],
    ]);
    await choose("Go on editing");
    expect(await name()).toBe("Mine");
    expect(await stored()).toMatchObject({ name: "Theirs", location: "There" });
  });

  test("can be stored on top of the other one (412), whose other fields stay", async () => {
    await changeMeanwhile({ name: "Theirs", location: "There" });
    await save();
    await choose("Save my changes on top");
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ name: "Mine", location: "There" });
  });

  test("can be given up for the stored state (412), with which the form goes on", async () => {
    await changeMeanwhile({ name: "Theirs" });
    await save();
    await choose("Take the stored state");
    expect(await name()).toBe("Theirs");
    await opened.dialog().getByLabel("Location").fill("Elsewhere");
    await save();
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ name: "Theirs", location: "Elsewhere" });
  });

  test.each([
    [409, { message: "Another request changed the resource at the same moment; try again", code: "WRITE_CONFLICT" }],
    [503, { message: "Temporarily unavailable; try again", code: "UNAVAILABLE" }],
    [503, { message: "The outcome is unknown", code: "OUTCOME_UNKNOWN" }],
  ])("(%d) keeps the form filled and shows the words of the service: %j", async (status, body) => {
    const response = { status, headers: { "retry-after": "7" }, json: { ...body, request_id: "r-1" } };
    await opened.page.route(UPDATE, (route) => route.fulfill(response));
    await save();
    await opened.dialog().getByRole("alert").filter({ hasText: body.message }).waitFor();
    expect(await name()).toBe("Mine");
    await opened.page.unroute(UPDATE);
    await save();
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ name: "Mine" });
  });

  test("for a bad field (400) shows the words of the service at the field", async () => {
    await opened.dialog().getByLabel("Link to an image").fill("no link");
    await save();
    const field = opened.dialog().getByLabel("Link to an image");
    await until(async () => (await field.getAttribute("aria-invalid")) === "true", "the field is marked");
    expect(await opened.dialog().locator('[data-field="image"]').innerText()).toContain("must be");
    expect(await name()).toBe("Mine");
  });

  test("while the service restarts says so, keeps the form, and can be stored when it is back", async () => {
    await service.stopService();
    await opened.page.getByText("The service cannot be reached").waitFor();
    await save();
    await opened.dialog().getByRole("alert").filter({ hasText: "Your entries are kept" }).waitFor();
    await service.startAgain();
    await opened.page.getByText("The service cannot be reached").waitFor({ state: "hidden" });
    expect(await name()).toBe("Mine");
    await save();
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ name: "Mine" });
  });

  test("of a create whose response was lost creates the event once", async () => {
    await opened.page.keyboard.press("Escape");
    await opened.button("New event on Friday, 20 November 2026").click();
    await opened.dialog().getByLabel("Name").fill("Once");
    await opened.page.route("**/v2/events/create", async (route) => {
      await route.fetch();
      await route.abort();
    });
    const create = opened.dialog().getByRole("button", { name: "Create" });
    await create.click();
    await opened.dialog().getByRole("alert").filter({ hasText: "Your entries are kept" }).waitFor();
    await opened.page.unroute("**/v2/events/create");
    await create.click();
    await opened.page.getByText("Created.").waitFor();
    await opened.button(/Once/).first().waitFor();
    expect(await opened.button(/Once/).count()).toBe(1);
  });

  test("by a move, since the event was moved meanwhile, shows both times and moves nothing", async () => {
    await opened.page.keyboard.press("Escape");
    // The stream of changes is cut, so that the page does not see the other move before.
    await opened.page.route("**/v2/events/list/**", (route) => route.abort());
    const start = Date.parse("2026-11-26T19:00:00Z");
    await opened.button(/Raid night/).focus();
    await opened.page.keyboard.press("m");
    await changeMeanwhile({ epoch_start: start, epoch_end: start + 7_200_000 });
    await opened.page.keyboard.press("ArrowDown");
    await opened.page.keyboard.press("Enter");
    await opened.dialog().getByText("Somebody else has changed this").waitFor();
    expect(await opened.dialog().innerText()).toContain("26 November");
    await choose("Go on editing");
    expect(await stored()).toMatchObject({ epoch_start: start });
  });
});
