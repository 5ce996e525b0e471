import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { cliEnvironment, cliProgram } from "../../../../../test/support/cli/cli.ts";
import { usePublishingUser } from "../../../../../test/support/service/publishing-user.ts";
import { openRelease, publish } from "../../../../../test/support/service/steps.ts";
import { grantOf } from "../../support/grant.ts";
import { pageOf, type TelemetryPage } from "../../support/telemetry-page.ts";

const user = usePublishingUser();
const { service } = user;

/** Starts `svc profile`, sends these records by the link that it prints, and waits for its end. */
async function profile(
  args: readonly string[],
  records: readonly object[],
  {
    idleSeconds = 1,
    before,
    more,
  }: {
    readonly idleSeconds?: number;
    readonly before?: () => Promise<void>;
    readonly more?: (page: TelemetryPage) => Promise<void>;
  } = {},
) {
  const env = cliEnvironment(user.person.home, { SVC_API: service.api, SVC_TOKEN: user.token.credential });
  const all = [cliProgram, "profile", "-p", user.slug, "--idle", String(idleSeconds), ...args];
  const child = spawn(process.execPath, all, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const { promise, resolve, reject } = Promise.withResolvers<URL>();
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
      const [, link] = /(http:\S+#\S+)\n/.exec(printed) ?? [];
      if (link !== undefined) resolve(new URL(link));
    });
  exited.then(() => reject(new Error(`It printed no link: ${printed}`)));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const link = await promise;
  const [grant = ""] = link.hash.slice(1).split(".");
  const page = pageOf(service, { id: "", grant, origin: link.origin });
  await before?.();
  if (records.length > 0) expect((await page.send(0, records)).status).toBe(200);
  else child.kill("SIGINT");
  await more?.(page);
  const [[code], [stdout, stderr]] = await Promise.all([exited, output]);
  return { code, stdout, stderr, link, page };
}

const device = { type: "device", at: 0, browser: "Firefox 140 on Android", width: 360, height: 800, density: 2 };
const records = [
  { ...device, cores: 8, graphics: "Mali", isolated: false, lacks: ["memory"] },
  { type: "frames", at: 0, durations: [...Array.from({ length: 95 }, () => 16), 40, 40, 40, 40, 120] },
];

test("svc profile prints the link and what came by it, writes it for other programs, and ends the link", async () => {
  const release = await publish(user.developer, user.slug, { "index.html": "1" });
  const file = join(user.person.home, "trace.json");
  const { code, stdout, stderr, link, page } = await profile(["--trace", file], records);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    `${link.href}\nWaiting up to 600 s for a device that opens the link.\nThe trace is in ${file}.\nStutters: 56 fps on average, 33 hitches a minute, 16 % of the time above 33 ms\n100 frames in 1.8 s on Firefox 140 on Android, Mali\np50 16 ms, p95 16 ms, p99 40 ms, longest 120 ms\n5 % of the frames over 16.7 ms, 5 % over 33 ms\n`,
  );
  const { profiles } = (await user.developer.get(`/projects/${user.slug}/profiles`)).body;
  expect(profiles).toMatchObject([{ release, grant_ends_at: null }]);
  expect((await page.send(2, [])).status).toBe(401);
  const { traceEvents } = JSON.parse(readFileSync(file, "utf8"));
  const frames = traceEvents.filter(({ name }: { name: string }) => name === "Frame");
  expect(frames).toHaveLength(100);
  expect(frames.at(-1)).toMatchObject({ ph: "X", ts: 1_680_000, dur: 120_000 });
});

test("--max-p95 is held or not, which the exit code and --json say", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const held = await profile(["--json", "--max-p95", "16"], records);
  expect(held.code).toBe(0);
  expect(JSON.parse(held.stdout)).toMatchObject({
    ...{ held: true, max_p95: 16, summary: { p95: 16, frames: 100 } },
    // The link has ended before the profile is read.
    profile: { grant_ends_at: null },
  });
  const broken = await profile(["--json", "--max-p95", "15"], records);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({ held: false, max_p95: 15 });
  expect(broken.stderr).toContain("p95 is 16 ms, above 15 ms.");
});

test("--idle is how long nothing comes before it finishes, in seconds", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const more = async (page: TelemetryPage) => {
    // It has looked once by then.
    await delay(2_500);
    expect((await page.send(records.length, records.slice(1))).status).toBe(200);
  };
  const { stdout } = await profile(["--json"], records, { idleSeconds: 5, more });
  expect(JSON.parse(stdout)).toMatchObject({ summary: { frames: 200 } });
});

test("before anything has come it waits for longer than --idle: the player has to open the link first", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { stdout } = await profile(["--json"], records, { before: () => delay(2_500) });
  expect(JSON.parse(stdout)).toMatchObject({ summary: { frames: 100 } });
});

test("if no more links can be made, it says so, whatever release it is for", async () => {
  const release = await publish(user.developer, user.slug, { "index.html": "1" });
  const made: string[] = [];
  while (made.length < 10) made.push((await grantOf(user.developer, user.slug)).id);
  for (const args of [[], [release]]) {
    const { json } = await user.svc(["profile", ...args, "-p", user.slug, "--json"]);
    expect(json.error.code).toBe("telemetry_grant_limit_reached");
  }
  // The other tests make links of the same account.
  for (const id of made)
    expect((await user.developer.delete(`/projects/${user.slug}/telemetry-grants/${id}`)).status).toBe(204);
});

test("--quiet prints the link alone, where errors are", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { code, stdout, stderr, link } = await profile(["--quiet"], records);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: `${link.href}\n` });
});

test("a trace that cannot be written is an error", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const refused = await profile(["--trace", join(user.person.home, "none", "trace.json")], records);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("trace.json");
});

test("a release that is not live gets a preview, and the link is the preview's", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { body } = await openRelease(user.developer, user.slug, { "index.html": "2" });
  const { link } = await profile([body.release.id], records);
  expect(link.hostname).toMatch(new RegExp(`^${user.slug}--[0-9a-f]{20}\\.`));
});

test("Ctrl-C ends the link, and nothing measured is a failure", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { code, stderr, page } = await profile([], []);
  expect(code).toBe(5);
  expect(stderr).toContain("Nothing was measured.");
  expect((await page.send(0, [])).status).toBe(401);
});

test("--wait is how long a device has for opening the link, in seconds: it says so, and ends the link then", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { code, stdout, stderr } = await user.svc([
    "profile",
    "-p",
    user.slug,
    "--json",
    "--wait",
    "1",
    "--max-p95",
    "20",
  ]);
  expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
    code: 5,
    error: { code: "nothing_measured", exit_code: 5 },
  });
  expect(stderr).toContain("Waiting up to 1 s for a device that opens the link.");
  const { profiles } = (await user.developer.get(`/projects/${user.slug}/profiles`)).body;
  expect(profiles[0].grant_ends_at).toBeNull();
});

const unmeasured = (reason: string) => ({ type: "unmeasured", at: 0, duration: 5_000, reason });
const frames = (count: number) => ({ type: "frames", at: 0, durations: Array.from({ length: count }, () => 16) });

test.each([
  ["no frame, and time without one", [unmeasured("no_request")], "The game asks for no frames here"],
  ["time in which a worker drew", [unmeasured("no_request"), unmeasured("worker")], "A worker draws this game"],
  ["19 frames before a worker was seen to draw", [frames(19), unmeasured("worker")], "A worker draws this game"],
  ["19 frames", [frames(19)], "Only 19 frames"],
  ["19 frames, and time without one", [frames(19), unmeasured("no_request")], "Only 19 frames"],
])("a budget is not held by %s", async (_, measured, text) => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { code, stdout } = await profile(["--json", "--max-p95", "1000"], [...records.slice(0, 1), ...measured]);
  const { exit_code, message } = JSON.parse(stdout).error;
  expect({ code, exit_code }).toEqual({ code: 5, exit_code: 5 });
  expect(message).toContain(text);
});

test("time that was not measured beside frames is named", async () => {
  await publish(user.developer, user.slug, { "index.html": "1" });
  const { code, stdout } = await profile(["--max-p95", "16"], [...records, unmeasured("no_request")]);
  expect(code).toBe(0);
  expect(stdout).toContain("For 5 s more the game asked for no frames here");
});
