import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TelemetryRecord } from "../../../contract/api/telemetry-records.ts";
import { summaryOf } from "../../../contract/api/telemetry-summary.ts";
import { type CliUser, createCliUser } from "../../support/cli/cli.ts";
import { play } from "../../support/service/play.ts";
import { newProject } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import type { Build } from "./build.ts";
import { builds } from "./builds.ts";
import { engines } from "./engines.ts";
import { exportedGames } from "./exports.ts";
import { playing, usePlayers } from "./players.ts";

/*
 * Builds of real engines, one of them with threads, are profiled as they are.
 */
const service = useService();
const ada = useOwner(service);
let person: CliUser;
beforeAll(() => {
  person = createCliUser();
});
afterAll(() => person?.leave());

const names = ["godot", "phaser", "stockfish"];
const profiled = [...builds, ...engines, ...exportedGames].filter(({ name }) => names.includes(name));

async function publishBuild(slug: string, { settings, write }: Build): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-profiled-"));
  try {
    mkdirSync(join(folder, "game"));
    if (settings !== undefined) writeFileSync(join(folder, "svc.toml"), settings);
    await write(join(folder, "game"));
    const env = { SVC_API: service.api, SVC_TOKEN: (await ada.token()).credential };
    const { code, stderr } = await person.run(["publish", "game", "--project", slug, "--json"], { env, cwd: folder });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const inGame = "document.querySelector('iframe')?.contentWindow";
/** The frame is there once the page has asked which release is played. */
const done = `new Promise((resolve) => {
  const timer = setInterval(() => {
    if (${inGame}?.done !== undefined) { clearInterval(timer); resolve(${inGame}.done); }
  }, 50);
})`;

test("a build of each kind is tried", () => {
  expect(profiled.map(({ name }) => name).sort()).toEqual(names);
});

describe.each(usePlayers().filter(([name]) => name === "Chromium"))("in %s", (_, come) => {
  test.each(profiled.map((build) => [build.name, build] as const))(
    "%s does in the frame what it does alone, and its frames and files are recorded",
    async (_name, build) => {
      const slug = await newProject(ada);
      // The chess engine computes in workers; its page asks for no frames.
      const isMeasured = (records: readonly TelemetryRecord[]) =>
        build.name === "stockfish"
          ? records.some(({ type }) => type === "unmeasured")
          : (summaryOf(records)?.frames ?? 0) >= 10;
      await publishBuild(slug, build);
      const before = await play(service, slug);
      const { body } = await ada.post(`/projects/${slug}/telemetry-grants`);
      const records = await playing(come, async (player) => {
        await player.open(body.url);
        expect(await player.evaluate(done)).toMatchObject(build.does);
        expect(await player.evaluate(`${inGame}.crossOriginIsolated`)).toBe(build.settings !== undefined);
        expect(player.complaints.filter((text) => !build.complains?.test(text))).toEqual([]);
        return await recordsOf(slug, body.profile.id, isMeasured);
      });
      expect(records.filter(({ type }) => type === "resource").length).toBeGreaterThan(0);
      const after = await play(service, slug);
      expect([after.body.equals(before.body), after.headers["etag"]]).toEqual([true, before.headers["etag"]]);
    },
    300_000,
  );
});

/** Waits until the frames, or that there are none, and the game's files have arrived. */
async function recordsOf(
  slug: string,
  id: string,
  isMeasured: (records: readonly TelemetryRecord[]) => boolean,
): Promise<TelemetryRecord[]> {
  for (let waited = 0; waited < 60; waited += 1) {
    const { records } = (await ada.get(`/projects/${slug}/profiles/${id}`)).body;
    if (isMeasured(records)) return records;
    await delay(1_000);
  }
  throw new Error("Too few records have arrived");
}
