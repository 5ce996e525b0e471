import { expect, test } from "@jest/globals";
import { publishResult } from "../support/cli/cli.ts";
import { startRelay } from "../support/network/relay.ts";
import { play } from "../support/service/play.ts";
import { usePublishingUser } from "../support/service/publishing-user.ts";
import { publish, readyRelease } from "../support/service/steps.ts";

const user = usePublishingUser();
const { service } = user;

const played = async (url: string) => (await play(service, new URL(url).hostname.split(".")[0] ?? "")).body.toString();
const run = (...args: string[]) => user.svc([...args, "-p", user.slug]);

test("svc publish --preview leaves what is live, svc previews lists it, and svc live makes it live", async () => {
  user.write({ "index.html": "live" });
  const live = publishResult(await user.publish());
  user.write({ "index.html": "next" });
  const { code, stdout, stderr } = await run("publish", "game", "--preview", "--message", "Next");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [, release = "", url = ""] =
    /^Uploaded 1 file \(4 B\) as release (\w+) of .*\nWhat is live stays\. The preview expires on [-\d]{10} \d\d:\d\d UTC; svc live \w+ makes it live\.\n(http:.*)\n$/.exec(
      stdout,
    ) ?? [];
  expect(await played(url)).toBe("next");
  expect(await played(live.play_url)).toBe("live");
  const listed = await run("previews");
  expect(listed.stdout).toMatch(
    new RegExp(`^NAME +RELEASE +EXPIRES \\(UTC\\) +MESSAGE\\n +${release}  .* Next\\n +${url}\\n$`),
  );
  const again = publishResult(await user.publish("--preview"));
  expect(again).toMatchObject({ event: "previewed", release, play_url: url, previous_release: null });
  expect(Date.parse(again.preview_ends_at)).toBeGreaterThan(Date.now());
  const promoted = await run("live");
  expect(promoted).toMatchObject({
    code: 0,
    stderr: "",
    stdout: `Release #2 of ${user.slug} is live.\n${live.play_url}\n`,
  });
  expect([await played(live.play_url), await played(url)]).toEqual([
    "next",
    expect.stringContaining("This preview has ended"),
  ]);
});

test("svc previews --open shows a release that was live before, named by its number, and what is live stays", async () => {
  await publish(user.token, user.slug, { "index.html": "first" });
  await publish(user.token, user.slug, { "index.html": "second" });
  const { code, stdout } = await run("previews", "--open", "1");
  expect(code).toBe(0);
  const [, url = ""] = /\n +#1 {2}.*\n +(http:.*)\n$/.exec(stdout) ?? [];
  expect(await played(url)).toBe("first");
  await user.expectLive({ "index.html": "second" });
  const refused = await run("previews", "--open", "2", "--json");
  expect({ code: refused.code, error: refused.json.error.code }).toEqual({ code: 6, error: "release_live" });
  expect((await run("live", "1")).stdout).toContain(`Release #1 of ${user.slug} is live again.`);
});

test("a project that refuses tokens says what to do to a command that changes it", async () => {
  await publish(user.token, user.slug, { "index.html": "live" });
  user.write({ "index.html": "next" });
  expect((await user.developer.patch(`/projects/${user.slug}`, { refuse_tokens: true })).status).toBe(200);
  const advice = /takes no change by a personal access token\. Publish it by a CI job [\s\S]*svc publishers/;
  for (const [command, ...args] of [
    ["publish", "game", "-p", user.slug],
    ["projects", "unpublish", user.slug],
  ] as const) {
    const { code, stderr } = await user.svc([command, ...args]);
    expect({ command, code, stderr }).toEqual({ command, code: 4, stderr: expect.stringMatching(advice) });
  }
});

test("svc previews --end deletes one", async () => {
  const release = await readyRelease(user.token, user.slug, "next");
  await user.token.post(`/projects/${user.slug}/releases/${release}/preview`);
  const { code, stdout } = await run("previews", "--end", release);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `The preview ${release} of ${user.slug} is deleted.\n`,
  });
  expect((await run("previews")).stdout).toBe(`${user.slug} has no previews. Open one: svc publish --preview\n`);
});

test("svc publish --preview=NAME has one URL, which the next one of that name replaces, and --new-url changes", async () => {
  user.write({ "index.html": "one" });
  const first = publishResult(await user.publish("--preview=pr-12"));
  user.write({ "index.html": "two" });
  const second = publishResult(await run("publish", "--json", "--preview=pr-12", "game"));
  expect(second).toMatchObject({ event: "previewed", play_url: first.play_url });
  expect(second.release).not.toBe(first.release);
  const { stdout } = await run("previews", "--keep", "pr-12");
  expect(stdout).toMatch(new RegExp(`\\npr-12 +${second.release} `));
  const { previews } = (await run("previews", "--json")).json;
  expect(previews).toMatchObject([{ name: "pr-12", kept: true }]);
  expect((await run("previews", "--json", "--no-longer", "pr-12")).json.previews).toMatchObject([{ kept: false }]);
  const moved = publishResult(await user.publish("--preview=pr-12", "--new-url"));
  expect(moved.play_url).not.toBe(first.play_url);
  const unnamed = await user.publish("--preview", "--new-url");
  expect({ code: unnamed.code, error: publishResult(unnamed).error.code }).toEqual({ code: 2, error: "usage" });
  expect((await run("previews", "--end", "pr-12")).stdout).toContain(`The preview pr-12 of ${user.slug} is deleted.`);
});

test("svc live is refused if another release went live after it looked, unless any may be replaced", async () => {
  await publish(user.token, user.slug, { "index.html": "live" });
  const release = await readyRelease(user.token, user.slug, "next");
  let [count, winner] = [0, ""];
  const relay = await startRelay(service.api, async (path, step) => {
    if (step !== "request" || !path.endsWith("/publish")) return undefined;
    count += 1;
    winner = await publish(user.token, user.slug, { "index.html": `meanwhile ${count}` });
    return undefined;
  });
  const promote = (...flags: string[]) => run("live", release, "--api", relay.origin, "--json", ...flags);
  const refused = await promote();
  expect(refused).toMatchObject({ code: 6, json: { error: { code: "current_release_changed" } } });
  expect(refused.json.error.message).toContain(winner);
  expect(await promote("--expect-current", "any")).toMatchObject({ code: 0, json: { previous_release: winner } });
  await relay.stop();
});

test("svc live refuses without a preview, with several, and if another release is live than expected", async () => {
  const promote = async (...args: string[]) => {
    const { code, json } = await run("live", "--json", ...args);
    return { code, error: json.error.code };
  };
  expect(await promote()).toEqual({ code: 1, error: "no_preview" });
  const [release, other] = [
    await readyRelease(user.token, user.slug, "one"),
    await readyRelease(user.token, user.slug, "two"),
  ];
  for (const id of [release, other]) await user.token.post(`/projects/${user.slug}/releases/${id}/preview`);
  expect(await promote()).toEqual({ code: 1, error: "several_previews" });
  expect(await promote(release, "--expect-current", "0Vx3mGk8cW2bT7qLr9Zs4A")).toEqual({
    code: 6,
    error: "current_release_changed",
  });
  expect((await user.developer.get(`/projects/${user.slug}`)).body.current_release).toBeNull();
});
