import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "@jest/globals";
import { atService, codeBlocks, emptyShell } from "../../support/documents.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { publish } from "../../support/service/steps.ts";
import { useCliUser } from "../../support/service/suite.ts";
import { goTool, testWith } from "./tools.ts";

const cosign = goTool("github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5", "cosign");

const { service, ada, ...jobs } = useJobs();
const reader = useCliUser({ isNew: true });
/** Nothing is asked of Sigstore's own servers. */
const run = (script: string) =>
  reader.run(["-c", script], {
    program: emptyShell,
    cwd: reader.home,
    env: { PATH: `${dirname(cosign.program ?? "")}:${process.env["PATH"]}`, HTTPS_PROXY: "http://127.0.0.1:9" },
  });

testWith(cosign)("cosign verifies an attestation by the commands of docs/provenance.md", async () => {
  await jobs.trustGitHub();
  await publish(await jobs.tokenOf(jobs.githubJob()), ada.slug, { "index.html": "<p>by CI" });
  await ada.patch(`/projects/${ada.slug}`, { show_provenance: true });
  const [program, unpack, verify] = codeBlocks("docs/provenance.md");
  await writeFile(join(reader.home, "unpack.mjs"), program?.text ?? "");
  const commands = atService(unpack?.text ?? "", service).replaceAll("my-game", ada.slug);
  expect(await run(commands)).toMatchObject({ code: 0 });
  expect(await run(verify?.text ?? "")).toMatchObject({ code: 0, stderr: expect.stringContaining("Verified OK") });

  const another = await run(`echo changed > index.html\n${verify?.text}`);
  expect(another).toMatchObject({ code: 1, stderr: expect.stringContaining("does not match any digest") });
  const unsigned = await run(`sed -i 's/"payload":"eyJ/"payload":"eyI/' bundle.json\n${verify?.text}`);
  expect(unsigned).toMatchObject({ code: 1, stderr: expect.stringContaining("Error: ") });
});
