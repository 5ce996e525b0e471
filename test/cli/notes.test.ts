import { expect, test } from "@jest/globals";
import { usePublishingUser } from "../support/service/publishing-user.ts";

const user = usePublishingUser();
const run = (...args: string[]) => user.svc(["notes", ...args, "-p", user.slug]);

test("svc notes shows what a release says is new, edits it, and removes it", async () => {
  user.write({ "index.html": "1" });
  await user.publish("--message", "First world");
  expect(await run("1")).toMatchObject({ code: 0, stdout: "First world\n" });
  expect(await run("1", "--message", "First world,\nfaster ships")).toMatchObject({
    code: 0,
    stdout: `Release #1 of ${user.slug} is edited.\n`,
  });
  expect(await run("#1")).toMatchObject({ code: 0, stdout: "First world,\nfaster ships\n" });
  const removed = await run("1", "--remove", "--json");
  expect(JSON.parse(removed.stdout)).toMatchObject({ project: user.slug, release: { number: 1, message: null } });
  expect(await run("1")).toMatchObject({ stdout: `Release #1 of ${user.slug} says nothing of what is new.\n` });
  expect(await run("7", "--message", "x")).toMatchObject({ code: 1, stdout: "" });
});
