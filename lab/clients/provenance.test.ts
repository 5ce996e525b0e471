import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { blocksToRun, codeBlocks, emptyShell, shellEnvironment } from "../../test/support/documents.ts";
import { useJobs } from "../../test/support/service/jobs.ts";
import { publish } from "../../test/support/service/steps.ts";
import { useCliUser } from "../../test/support/service/suite.ts";
import { goTool, testWith } from "../foreign-tools.ts";

/* Verifiers that are not ours take what a job has published, by the commands of docs/provenance.md. */

const cosign = goTool("github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5", "cosign");

const { service, ada, ...jobs } = useJobs();
const reader = useCliUser({ isNew: true });
const [program, , byCosign] = codeBlocks("docs/provenance.md").map(({ text }) => text);
const changeStatement = (file: string) => `sed -i 's/"payload":"eyJ/"payload":"eyI/' ${file}`;

/** Nothing is asked of Sigstore's own servers. */
const run = (script = "") =>
  reader.run(["-c", script], {
    program: emptyShell,
    cwd: reader.home,
    env: {
      ...shellEnvironment(service),
      PATH: `${dirname(cosign.program ?? "")}:${process.env["PATH"]}`,
      HTTPS_PROXY: "http://127.0.0.1:9",
    },
  });

let release = "";
/** The commands by openssl, of which the others need what they fetch. */
const commands = () => (blocksToRun("docs/provenance.md", 1, service)[0] ?? "").replaceAll("my-game", ada.slug);

beforeEach(async () => {
  await jobs.trustGitHub();
  release = await publish(await jobs.tokenOf(jobs.githubJob()), ada.slug, { "index.html": "<p>by CI" });
  await ada.patch(`/projects/${ada.slug}`, { show_provenance: true });
  await writeFile(join(reader.home, "unpack.mjs"), program ?? "");
});

test("openssl verifies an attestation, and finds a statement that was changed", async () => {
  expect(await run(commands())).toMatchObject({ code: 0, stdout: "Verified OK\n1\n", stderr: "" });
  expect((await run("cat statement.json")).stdout).toContain(`"name":"${ada.slug}/${release}"`);
  const [check = ""] = /^openssl .*$/m.exec(commands()) ?? [];
  const changed = await run(`${changeStatement("attestation.json")}; node unpack.mjs; ${check}`);
  expect(changed).toMatchObject({ code: 1, stdout: "Verification failure\n" });
});

testWith(cosign)(
  "cosign verifies an attestation, and finds another file and a statement that was changed",
  async () => {
    expect(await run(commands())).toMatchObject({ code: 0 });
    expect(await run(byCosign)).toMatchObject({ code: 0, stderr: expect.stringContaining("Verified OK") });
    const another = await run(`echo changed > index.html\n${byCosign}`);
    expect(another).toMatchObject({ code: 1, stderr: expect.stringContaining("does not match any digest") });
    const unsigned = await run(`${changeStatement("bundle.json")}\n${byCosign}`);
    expect(unsigned).toMatchObject({ code: 1, stderr: expect.stringContaining("Error: ") });
  },
);
