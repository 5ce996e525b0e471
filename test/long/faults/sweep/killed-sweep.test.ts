import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../support/actors.ts";
import { newProject, openRelease, publish, sha256 } from "../../../support/steps.ts";
import { storedItem } from "../../../support/stored.ts";
import { storedProject } from "../../../support/stored-project.ts";
import { useService } from "../../../support/suite.ts";
import { sweeperEnvironment } from "../../../support/sweeping.ts";

/*
 * The sweeper is killed with -9 before each of its requests; another one, after its lease, finishes the work, and what is
 * kept is whole at every moment.
 */
const service = useService();
const actors = actorsOf(service);
let ada: Developer;

beforeAll(async () => {
  ada = await actors.developer();
});

const killerFile = fileURLToPath(new URL("./kill-at-request.cjs", import.meta.url));
const sweepFile = fileURLToPath(new URL("./sweep-once.ts", import.meta.url));

async function sweep(slug: string, { killAt, later = 0 }: { killAt?: number; later?: number }) {
  const child = spawn(process.execPath, ["--require", killerFile, sweepFile, slug, String(later)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...sweeperEnvironment(service), KILL_AT_REQUEST: String(killAt ?? "") || "none" },
  });
  const [output, errors, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, wasKilled: signal === "SIGKILL" };
}

/** A project with a live release, an open one, and garbage of two earlier ones. */
async function projectWithGarbage(): Promise<{ slug: string; open: string }> {
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "old", shared: "both" });
  await publish(ada, slug, { "index.html": "older" });
  await publish(ada, slug, { "index.html": "live", shared: "both" });
  return { slug, open: (await openRelease(ada, slug, { "index.html": "open" })).body.release.id };
}

const kept = ["both", "live", "open"].map((content) => `files/${sha256(content)}`);
const afterLease = 7 * 60_000;

test("wherever it is killed, nothing that is kept is lost, and the next one leaves no garbage", async () => {
  let killAt = 0;
  for (; ; killAt += 1) {
    const { slug, open } = await projectWithGarbage();
    const { wasKilled, errors } = await sweep(slug, { killAt });
    expect((await storedProject(service, slug)).objects).toEqual(expect.arrayContaining(kept));
    const next = await sweep(slug, { later: afterLease });
    expect({ killAt, outcome: JSON.parse(next.output).outcome }).toEqual({ killAt, outcome: "done" });
    const { objects } = await storedProject(service, slug);
    expect(objects.filter((key) => key.startsWith("files/"))).toEqual(kept.toSorted());
    expect(objects.filter((key) => key.startsWith("manifests/"))).toHaveLength(2);
    expect(await storedItem(service, keys.announcedDeletion(slug))).toBeUndefined();
    expect((await ada.post(`/projects/${slug}/releases/${open}/publish`)).status).toBe(200);
    if (!wasKilled) {
      expect(errors).toMatch(/^\d+ requests$/m);
      break;
    }
  }
  // Fewer would mean that the sweep had nothing to do.
  expect(killAt).toBeGreaterThan(15);
}, 600_000);
