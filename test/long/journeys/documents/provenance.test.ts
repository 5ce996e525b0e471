import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { blocksToRun, codeBlocks, emptyShell, shellEnvironment } from "../../../support/documents.ts";
import { useJobs } from "../../../support/service/jobs.ts";
import { publish } from "../../../support/service/steps.ts";
import { useCliUser } from "../../../support/service/suite.ts";

const { service, ada, ...jobs } = useJobs();
const reader = useCliUser({ isNew: true });
const run = (script: string) =>
  reader.run(["-c", script], { program: emptyShell, cwd: reader.home, env: shellEnvironment(service) });

test("docs/provenance.md verifies what a job has published, and finds a statement that was changed", async () => {
  await jobs.trustGitHub();
  const release = await publish(await jobs.tokenOf(jobs.githubJob()), ada.slug, { "index.html": "<p>by CI" });
  await ada.patch(`/projects/${ada.slug}`, { show_provenance: true });
  const [program] = codeBlocks("docs/provenance.md").filter(({ language }) => language === "js");
  await writeFile(join(reader.home, "unpack.mjs"), program?.text ?? "");
  const [commands = ""] = blocksToRun("docs/provenance.md", 1, service);
  const verified = await run(commands.replaceAll("my-game", ada.slug));
  expect(verified).toMatchObject({ code: 0, stdout: "Verified OK\n1\n", stderr: "" });
  expect((await run("cat statement.json")).stdout).toContain(`"name":"${ada.slug}/${release}"`);
  const [check = ""] = /^openssl .*$/m.exec(commands) ?? [];
  const changed = await run(`sed -i 's/"payload":"eyJ/"payload":"eyI/' attestation.json; node unpack.mjs; ${check}`);
  expect(changed).toMatchObject({ code: 1, stdout: "Verification failure\n" });
});
