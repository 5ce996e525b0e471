import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { eventually } from "../../support/eventually.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { startService } from "../../support/service/service.ts";
import { newProject, publish, sha256 } from "../../support/service/steps.ts";

test("a file whose stored bytes do not match its hash is not served", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "svc-tampered-"));
  const own = await startService({ dataFolder });
  const owner = await actorsOf(own).developer();
  const project = await newProject(owner);
  await publish(owner, project, { "index.html": "good" });
  const stored = join(dataFolder, "objects", own.bucketName, `${fileKey(project, sha256("good"))}._S3rver_object`);
  await writeFile(stored, "evil");
  const response = await fetch(`${own.api}/projects/${project}/files/index.html`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("evil");
  await eventually(() => expect(own.output()).toContain("has another SHA-256 than its key says"));
  await own.stop();
  await rm(dataFolder, { recursive: true });
});
