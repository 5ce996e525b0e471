import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import {
  githubClaims,
  githubPublisher,
  gitlabClaims,
  jobExchange,
  newRepository,
  startJobIssuers,
} from "../../support/identity/jobs.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { deltaOf } from "../../support/service/delta.ts";
import { manifestOf, newProject, publish, sha256 } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* The CI run that uploaded a release, and the load of its players, on a project's page. */

const issuers = duringTests(startJobIssuers);
const v = visitor({
  get env() {
    return issuers.env;
  },
});
const repository = newRepository("studio/star-hopper");

/** Publishes as a job that a publisher of the project names. */
async function publishByJob(slug: string, provider: "github" | "gitlab"): Promise<void> {
  const { issuer } = issuers[provider];
  const { id, ownerId } = repository;
  const publisher =
    provider === "github"
      ? githubPublisher(repository, issuer)
      : { provider, issuer, project_id: id, namespace_id: ownerId };
  expect(await v.ada.post(`/projects/${slug}/publishers`, publisher)).toMatchObject({ status: 200 });
  const claims = provider === "github" ? githubClaims(repository) : gitlabClaims(repository, issuer);
  const job = issuers[provider].idToken({ claims: { aud: v.service.api, ...claims } });
  const actors = actorsOf(v.service);
  const { body } = await actors.anonymous.send("POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...jobExchange(v.service.api, slug, job), owner: v.ada.uid }).toString(),
  });
  await publish(actors.bearer(body.access_token), slug, { "index.html": `By ${provider}` });
}

test("a release says which run uploaded it, with links to its host, and a roll-back names its commit", async () => {
  const slug = await newProject(v.ada);
  await publishByJob(slug, "github");
  await publishByJob(slug, "gitlab");
  await v.enter(`projects/${slug}/releases`);
  const rows = v.page.getByRole("list", { name: "Releases" }).getByRole("listitem");
  const gitlab = rows.filter({ hasText: "From studio/star-hopper, as GitLab vouched" });
  const github = rows.filter({ hasText: "From studio/star-hopper, as GitHub vouched" });
  await github.getByRole("heading", { name: "Commit 4f2a9c0" }).waitFor();
  const origin = v.page
    .locator("section.card")
    .filter({ has: v.page.getByRole("heading", { name: "Where it comes from" }) });
  const linksOf = async (row: typeof github) => {
    await row.getByRole("heading").getByRole("link").click();
    await origin.getByText("Branch or tag").waitFor();
    const links = await origin.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    await v.page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Releases" }).click();
    return links;
  };
  const [atGithub, atGitlab] = [issuers.github.issuer, issuers.gitlab.issuer].map(
    (origin) => `${origin}/studio/star-hopper`,
  );
  expect(await linksOf(github)).toEqual([
    `${atGithub}/commit/4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88`,
    `${atGithub}/actions/runs/22259804324`,
  ]);
  expect(await linksOf(gitlab)).toEqual([
    `${atGitlab}/-/commit/8fe1b322a576d59fe6257052a4107df7dc1b8c78`,
    `${atGitlab}/-/jobs/8222997048`,
  ]);
  await github.getByRole("heading").getByRole("link").click();
  await origin.getByText(".github/workflows/publish.yml").waitFor();
  expect(await lookAt(v.page, "provenance", origin.locator("dl"))).toEqual([]);
  await v.page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Releases" }).click();
  await github.getByRole("button", { name: "Make live #1 Commit 4f2a9c0" }).click();
  await v.page.getByRole("row", { name: "Commit 8fe1b32 4f2a9c0" }).waitFor();
}, 300_000);

test("a release says what players load who had the one before, if deltas save something", async () => {
  const slug = await newProject(v.ada);
  const before = randomBytes(2_000_000);
  const after = Buffer.concat([before, randomBytes(20_000)]);
  const delta = deltaOf(before, after);
  await publish(v.ada, slug, { "index.html": "1", "data.pck": before });
  const deltas = [{ dictionary: sha256(before), size: delta.length, sha256: sha256(delta) }];
  const folder = { "index.html": "2", "data.pck": after };
  const files = manifestOf(folder).map((file) => (file.path === "data.pck" ? { ...file, deltas } : file));
  await publish(v.ada, slug, { ...folder, delta }, files);
  await v.enter(`projects/${slug}/releases`);
  const told = v.page.getByText(
    `Players who had the last release load ${(delta.length / 1024).toFixed(1)} KiB instead of 1.9 MiB.`,
  );
  await v.page.getByRole("link", { name: "Release #2" }).click();
  await told.waitFor();
  await v.page.goBack();
  await v.page.getByRole("link", { name: "Release #1" }).click();
  await v.page.getByText("There is no release before it.").waitFor();
  expect(await told.count()).toBe(0);
});
