import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { publishResult } from "../support/cli/cli.ts";
import { usePublishingUser } from "../support/service/publishing-user.ts";
import { liveRelease, publish, readyRelease } from "../support/service/steps.ts";

/*
 * Commands in a project in which a person makes live.
 */
const user = usePublishingUser();
const { service } = user;

const run = (...args: string[]) => user.svc([...args, "-p", user.slug]);
const page = (release: string) => new URL(`/projects/${user.slug}/releases/${release}`, service.dashboard).href;
const waits = (release: string) =>
  `It waits: in ${user.slug} a person makes live, and players keep what is live until then.\n${page(release)}\n`;

let live: string;
beforeEach(async () => {
  live = await publish(user.token, user.slug, { "index.html": "live" });
  await user.developer.patch(`/projects/${user.slug}`, { person_makes_live: true });
  user.write({ "index.html": "next" });
});

test("svc publish leaves the release waiting, says where a person makes it live, and succeeds", async () => {
  const { code, stdout, stderr } = await run("publish", "game");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [, release = ""] = /^Uploaded 1 file \(4 B\) as release (\w+) of /.exec(stdout) ?? [];
  expect(stdout.endsWith(waits(release))).toBe(true);
  const again = publishResult(await user.publish());
  expect(again).toMatchObject({
    event: "waiting",
    status: "waiting",
    ...{ release, review_url: page(release) },
    play_url: null,
    number: null,
  });
  expect(await liveRelease(user.developer, user.slug)).toBe(live);
  expect((await run("releases")).stdout).toMatch(
    new RegExp(
      `\\n${again.release}  waiting .*\\n +1 file, waits since [-\\d]{10} \\d\\d:\\d\\d by token "[^"]+", until `,
    ),
  );
  const url = `/projects/${user.slug}/releases/${again.release}/publish`;
  expect((await user.developer.post(url)).status).toBe(200);
  expect(publishResult(await user.publish())).toMatchObject({
    event: "unchanged",
    status: "live",
    release: again.release,
  });
});

test("svc live leaves the release of a preview waiting", async () => {
  const release = await readyRelease(user.token, user.slug, "next");
  await user.token.post(`/projects/${user.slug}/releases/${release}/preview`);
  expect(await run("live")).toMatchObject({
    code: 0,
    stderr: "",
    stdout: `Release ${release} of ${user.slug} is complete.\n${waits(release)}`,
  });
  expect((await run("live", release, "--json")).json).toMatchObject({ status: "waiting", review_url: page(release) });
  expect(await liveRelease(user.developer, user.slug)).toBe(live);
});

test("every command that would change what players get says who does it, and where", async () => {
  await user.developer.patch(`/projects/${user.slug}`, { person_makes_live: false });
  await publish(user.token, user.slug, { "index.html": "next" });
  await user.developer.patch(`/projects/${user.slug}`, { person_makes_live: true });
  for (const command of [["rollback", "1"], ["offline"]]) {
    const { code, stdout, stderr } = await run(...command);
    expect({ command, code, stdout }).toMatchObject({ code: 4 });
    expect(stderr).toContain("a person decides what players get, not a token.");
    expect(stderr).toContain("svc open overview");
  }
});

test("the summary of a job leads to the page where a person makes live", async () => {
  const [output, summary] = [join(user.person.home, "output"), join(user.person.home, "summary")];
  const env = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  const { code } = await user.svc(["publish", "game", "-p", user.slug], { env });
  expect(code).toBe(0);
  expect(readFileSync(summary, "utf8")).toMatch(
    new RegExp(
      `^\\[${user.slug}\\]\\(${page("")}(\\w+)\\) has release \`\\1\`, which waits for a person to make it live\\.\\n$`,
    ),
  );
  expect(readFileSync(output, "utf8")).toMatch(/\nstatus=waiting\n$/);
});
