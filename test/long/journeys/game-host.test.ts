import { describe, expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { openRelease, publish } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { opening, visitsOf } from "../../support/service/visits.ts";

const service = useService();
const ada = useOwner(service);
const { get, goLive } = visitsOf(service, ada);

describe("a visitor of a host", () => {
  test.each([
    ["no-such-game", "There is no game here"],
    ["xn--80ak6aa92e", "There is no game here"],
    ["a", "There is no game here"],
  ])("%s reads %s", async (name, title) => {
    const page = await play(service, name, { headers: opening });
    expect({ status: page.status, title: /<title>(.*)<\/title>/.exec(page.body.toString())?.[1] }).toEqual({
      status: 404,
      title,
    });
  });

  test("reads that nothing is published yet, or that a file is missing; the page loads nothing from other origins", async () => {
    const unpublished = await get("/", opening);
    expect({ status: unpublished.status, text: unpublished.body.toString() }).toMatchObject({
      status: 404,
      text: expect.stringContaining("Nothing to play now"),
    });
    await goLive({ "index.html": "page" });
    const lost = await get("/none", opening);
    expect(lost.status).toBe(404);
    for (const [{ headers, body }, cacheControl] of [
      [unpublished, "no-store"],
      // No function of the edge changes the headers of an error.
      [lost, "public, max-age=5"],
    ] as const) {
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/);
      expect(headers["cache-control"]).toBe(cacheControl);
      expect(body.toString()).not.toMatch(/https?:|\/\//);
      expect(body.length).toBeLessThan(1_000);
    }
    expect(lost.body.toString()).toContain("Not found");
    // Only a game that is there can be reported.
    const report = `<a href="mailto:abuse@localhost?subject=Report%20of%20${ada.slug}">`;
    expect([unpublished, lost].map(({ body }) => body.includes(report))).toEqual([false, true]);
  });

  test("gets no file of an open release", async () => {
    await openRelease(ada, ada.slug, { "index.html": "secret" });
    expect((await get("/")).status).toBe(404);
  });
});

test("the API says where a game is played, and gives a release's URL while it is live", async () => {
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect((await actorsOf(service).anonymous.get(`/projects/${ada.slug}`)).body.play_url).toBe(url);
  const first = await publish(ada, ada.slug, { "index.html": "1" });
  expect((await ada.get(`/projects/${ada.slug}/releases/${first}`)).body.play_url).toBe(url);
  await publish(ada, ada.slug, { "index.html": "2" });
  expect((await ada.get(`/projects/${ada.slug}/releases/${first}`)).body.play_url).toBeNull();
});
