import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { publishResult } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal } from "../../support/cli/terminal.ts";
import { eventually } from "../../support/eventually.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

const user = usePublishingUser();
const { service, person, svc, publish, write } = user;

describe("message and source of a release", () => {
  const gitHub = {
    GITHUB_ACTIONS: "true",
    GITHUB_SHA: "0123456789abcdef0123456789abcdef01234567",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "ada/game",
    GITHUB_RUN_ID: "7",
  };

  test("--message and the commit of a GitHub job are stored", async () => {
    write({ "index.html": "one" });
    const [output, summary] = ["output", "summary"].map((name) => join(person.home, name));
    const env = { ...gitHub, GITHUB_OUTPUT: output ?? "", GITHUB_STEP_SUMMARY: summary ?? "" };
    const published = await svc(["publish", "game", "-p", user.slug, "-m", "Faster ships\n\nAnd more", "--json"], {
      env,
    });
    const { release, play_url: url } = publishResult(published);
    const { json } = await svc(["releases", "-p", user.slug, "--json"]);
    expect(json.releases[0]).toMatchObject({
      message: "Faster ships\n\nAnd more",
      source: { commit: gitHub.GITHUB_SHA, run_url: "https://github.example/ada/game/actions/runs/7" },
    });
    expect((await svc(["releases", "-p", user.slug])).stdout).toMatch(
      / {2}live .* 3 B {3}Faster ships\n {2}1 file, commit 0123456, by token "a token", live since .*\n$/,
    );
    expect(readFileSync(output ?? "", "utf8")).toBe(`url=${url}\nrelease=${release}\nstatus=live\n`);
    expect(readFileSync(summary ?? "", "utf8")).toBe(`[${user.slug}](${url}) is live as release \`${release}\`.\n`);
  });

  test("a release that was live already has the same outputs, and another line of the summary", async () => {
    write({ "index.html": "one" });
    const { release, play_url: url } = publishResult(await publish());
    const [GITHUB_OUTPUT, GITHUB_STEP_SUMMARY] = [join(person.home, "output"), join(person.home, "summary")];
    await svc(["publish", "game", "-p", user.slug], { env: { ...gitHub, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } });
    expect([GITHUB_OUTPUT, GITHUB_STEP_SUMMARY].map((file) => readFileSync(file, "utf8"))).toEqual([
      `url=${url}\nrelease=${release}\nstatus=live\n`,
      `[${user.slug}](${url}) was live already as release \`${release}\`.\n`,
    ]);
  });

  test("outputs that cannot be written give a warning, and the release is live", async () => {
    write({ "index.html": "one" });
    const { code, stderr } = await svc(["publish", "game", "-p", user.slug], {
      env: { ...gitHub, GITHUB_OUTPUT: "/" },
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "warning: The outputs of this step could not be written: illegal operation on a directory (EISDIR).\n",
    });
  });
});

describe("svc open", () => {
  test("prints the URL of the live release, without a token, and opens nothing in a pipe", async () => {
    const before = await person.run(["open", "-p", user.slug, "--json"], { env: { SVC_API: service.api } });
    expect(before.json.error.code).toBe("not_published");
    write({ "index.html": "x" });
    const { play_url: url } = publishResult(await publish());
    const { code, stdout } = await person.run(["open", "-p", user.slug], {
      env: { SVC_API: service.api, DISPLAY: ":0" },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` });
    const about = await person.run(["open", "page", "-p", user.slug], { env: { SVC_API: service.api } });
    expect(about.stdout).toBe(`${url}.well-known/svc/about\n`);
    const json = await person.run(["open", "page", "-p", user.slug, "--json"], {
      env: { SVC_API: service.api },
    });
    expect(json.json).toEqual({ place: "page", project: user.slug, url: `${url}.well-known/svc/about`, opened: false });
  });

  (hasTerminal ? test : test.skip)("opens it in a browser on a terminal with a screen", async () => {
    write({ "index.html": "x" });
    const { play_url: url } = publishResult(await publish());
    mkdirSync(join(person.home, "bin"));
    writeFileSync(join(person.home, "bin", "xdg-open"), `#!/bin/sh\necho "$@" > "${person.home}/opened"\n`, {
      mode: 0o755,
    });
    const env = { SVC_API: service.api, PATH: `${person.home}/bin:${process.env["PATH"]}` };
    await onPseudoTerminal(person, `open -p ${user.slug}`, { env });
    expect(existsSync(join(person.home, "opened"))).toBe(false);
    await onPseudoTerminal(person, `open -p ${user.slug}`, { env: { ...env, DISPLAY: ":0" } });
    await eventually(() => expect(readFileSync(join(person.home, "opened"), "utf8")).toBe(`${url}\n`));
  });
});
