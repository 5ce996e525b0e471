import { expect, test } from "@jest/globals";
import { writeFiles } from "../../support/cli/cli.ts";
import { startIdentityProvider } from "../../support/identity/identity-provider.ts";
import { githubClaims, jobExchange, newRepository, startGithubJob } from "../../support/identity/jobs.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { newProject } from "../../support/service/steps.ts";
import { duringTests, useCliUser, useServers } from "../../support/service/suite.ts";
import { visitor } from "../dashboard/visitor.ts";

/* A person who lets a CI job publish: in the dashboard, then in a job that has an identity and no secret. */

const github = duringTests(() => startIdentityProvider());
const v = visitor({
  env: {
    get JOB_ISSUERS() {
      return `github=${github.issuer}`;
    },
  },
});
const job = useCliUser();
const keep = useServers();

test("adds the jobs of a repository, publishes in one by the command of the file that is shown, sees which run did it, and removes them again", async () => {
  const { page, service } = v;
  const repository = newRepository();
  const inEnvironment = { environment: "production" };
  const slug = await newProject(v.ada);
  const dialog = page.getByRole("dialog");
  const field = (name: string) => dialog.getByLabel(name, { exact: true });
  await v.enter(`projects/${slug}/settings`);
  await v.button("Add CI jobs").click();
  await field("URL of the repository").fill(`${github.issuer}/${repository.name}`);
  await page.keyboard.press("Enter");
  await field("Number of the repository").fill(repository.id);
  await field("Number of its owner").fill(repository.ownerId);
  await dialog.getByRole("button", { name: "Let them publish" }).click();
  const shown = String(await dialog.locator(".copy.lines code").textContent());
  const [, command = ""] = /^ +svc (publish .+)$/m.exec(shown) ?? [];
  await v.button("Done").click();
  const jobs = page.getByRole("list", { name: "CI jobs that may publish" }).getByRole("listitem");
  await jobs.filter({ hasText: repository.name }).waitFor();

  writeFiles(job.home, { "dist/index.html": "<!doctype html><h1>Built by a job</h1>" });
  const publish = async () => {
    const runner = await keep(startGithubJob(github, repository, inEnvironment));
    const env = { SVC_API: service.api, ...runner.env };
    const { code, stdout, stderr } = await job.run(command.split(" "), { env });
    for (const secret of runner.secrets) expect(stdout + stderr).not.toContain(secret);
    return { code, stderr };
  };
  const { code, stderr } = await publish();
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("without a stored token") });
  expect(stderr).not.toContain("warning");
  // A token that another job still has when its jobs are removed.
  const claims = { aud: service.api, ...githubClaims(repository, inEnvironment) };
  const exchange = jobExchange(service.api, slug, github.idToken({ claims }));
  const response = await fetch(`${service.api}/oauth/token`, { method: "POST", body: new URLSearchParams(exchange) });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const other = actorsOf(service).bearer(token);
  expect((await other.get(`/projects/${slug}/releases`)).status).toBe(200);

  await v.tab("Releases");
  await page.reload();
  await page.getByText(`From ${repository.name}, as GitHub vouched`).waitFor();
  await page.getByRole("link", { name: /^(?:Release )?#1/ }).click();
  await page.getByText(".github/workflows/publish.yml").waitFor();
  await page.goto(`http://${slug}.${service.gamesDomain}/`);
  await page.getByRole("heading", { name: "Built by a job" }).waitFor();
  await page.goto(`${service.dashboard}projects/${slug}/settings`);
  await v.button(`Remove ${repository.name}`).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("CI jobs that you name here").waitFor();
  expect((await other.get(`/projects/${slug}/releases`)).status).toBe(401);
  const refused = await publish();
  expect(refused).toEqual({ code: 4, stderr: expect.stringContaining("matches no trusted publisher") });
});
