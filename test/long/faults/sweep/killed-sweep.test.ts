import { beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../support/service/actors.ts";
import { newProject, openRelease, publish, sha256 } from "../../../support/service/steps.ts";
import { useService } from "../../../support/service/suite.ts";
import { storedItem } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { runSweeper } from "./sweeper-process.ts";

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
    const { wasKilled, errors } = await runSweeper(service, ["sweep", slug], {
      KILL_AT_REQUEST: String(killAt),
    });
    expect((await storedProject(service, slug)).objects).toEqual(expect.arrayContaining(kept));
    const next = await runSweeper(service, ["sweep", slug, String(afterLease)]);
    expect({ killAt, outcome: JSON.parse(next.output).outcome }).toEqual({ killAt, outcome: "done" });
    const { objects } = await storedProject(service, slug);
    expect(objects.filter((key) => key.startsWith("files/"))).toEqual(kept.toSorted());
    expect(objects.filter((key) => key.startsWith("manifests/"))).toHaveLength(2);
    expect(await storedItem(service, keys.deletionIntent(slug))).toBeUndefined();
    expect((await ada.post(`/projects/${slug}/releases/${open}/publish`)).status).toBe(200);
    if (!wasKilled) {
      expect(errors).toMatch(/^\d+ requests$/m);
      break;
    }
  }
  // Fewer would mean that the sweep had nothing to do.
  expect(killAt).toBeGreaterThan(15);
}, 600_000);
