import { beforeEach, expect, test } from "@jest/globals";
import { AmazonError } from "../../../local/amazon-server.ts";
import { publishResult } from "../../support/cli/cli.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

const service = useEdgeService();
const user = usePublishingUser(service);
const down = () => new AmazonError("InternalServerException", 500, "Down");
const pointer = () => service.games.store.edge(0).get(user.slug);

beforeEach(() => {
  service.games.fault = undefined;
});

/** The next two calls of the store fail. */
function failTwice() {
  let failures = 2;
  service.games.fault = () => {
    failures -= 1;
    return failures >= 0 ? down() : undefined;
  };
}

test("svc publish, rollback, previews and promote succeed and say so if players do not see it for seconds", async () => {
  const releases: string[] = [];
  for (const content of ["1", "2", "3"]) {
    user.write({ "index.html": content });
    if (content < "3") releases.push(publishResult(await user.publish()).release);
  }
  const before = pointer();
  service.games.fault = down;
  const run = async (...args: string[]) => {
    const result = await user.svc([...args, "--project", user.slug, "--json"]);
    const { code, stderr } = result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^warning: It cannot be played yet/) });
    return args[0] === "publish" ? publishResult(result) : result.json;
  };
  const [first = "", second = ""] = releases;
  const [third] = await Promise.all([run("publish", "game"), run("previews", "--open", first)]);
  expect(await run("rollback")).toMatchObject({ release: { id: second }, previous_release: third.release });
  expect(await run("promote")).toMatchObject({ release: { id: first }, previous_release: second, edge: "waiting" });
  expect(pointer()).toBe(before);
});

test("svc projects unpublish and svc previews --end wait, succeed, and say so if it can still be played", async () => {
  user.write({ "index.html": "1" });
  const { release } = publishResult(await user.publish());
  user.write({ "index.html": "2" });
  const preview = publishResult(await user.publish("--preview"));
  failTwice();
  expect((await user.svc(["projects", "unpublish", user.slug, "--json"])).json).toMatchObject({ edge: "updated" });
  await user.developer.post(`/projects/${user.slug}/releases/${release}/publish`);
  service.games.fault = down;
  const commands = [
    ["projects", "unpublish", user.slug],
    ["previews", "--end", preview.release, "--project", user.slug],
  ];
  for (const { code, stderr } of await Promise.all(commands.map((words) => user.svc(words))))
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^warning: It can still be played/) });
  expect(pointer()).toMatch(/^l\./);
});

test("while svc projects unpublish waits, it does not take off what somebody has published meanwhile", async () => {
  user.write({ "index.html": "1" });
  const first = publishResult(await user.publish());
  service.games.fault = down;
  const waiting = user.svc(["projects", "unpublish", user.slug, "--json"]);
  const live = async () => (await user.developer.get(`/projects/${user.slug}`)).body.current_release?.id;
  while ((await live()) === first.release) await new Promise((resolve) => setTimeout(resolve, 50));
  await user.developer.post(`/projects/${user.slug}/releases/${first.release}/publish`);
  expect(await waiting).toMatchObject({ code: 0 });
  expect(await live()).toBe(first.release);
});
