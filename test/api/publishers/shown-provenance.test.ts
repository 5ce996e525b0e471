import { beforeEach, describe, expect, test } from "@jest/globals";
import { useJobs } from "../../support/service/jobs.ts";
import { handOver, makeLive, openRelease, publish } from "../../support/service/steps.ts";

/*
 * Repository, commit and run of the live release, which everybody sees if its project's owner shows them.
 */
const { issuers, actors, ada, ...jobs } = useJobs();
const page = { "index.html": "<p>by CI" };
const commits = {
  github: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
  gitlab: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
} as const;

const jobOf = (provider: "github" | "gitlab", changes: Readonly<Record<string, unknown>> = {}) =>
  jobs.tokenOf(provider === "github" ? jobs.githubJob(changes) : jobs.gitlabJob(changes));

const show = (shown: boolean) => ada.patch(`/projects/${ada.slug}`, { show_provenance: shown });
const publicProject = async () => (await actors.anonymous.get(`/projects/${ada.slug}`)).body;

async function expectNothing(): Promise<void> {
  const project = await publicProject();
  expect(project.provenance).toBeNull();
  expect(JSON.stringify(project)).not.toContain("star-hopper");
}

beforeEach(async () => {
  await jobs.trustGitHub();
});

test.each([
  ["github", "actions/runs/22259804324"],
  ["gitlab", "-/jobs/8222997048"],
] as const)(
  "of a job of %s nothing is seen until the owner shows it, and from then on repository, commit and run",
  async (provider, run) => {
    await jobs.trustGitLab();
    await publish(await jobOf(provider), ada.slug, page);
    await expectNothing();
    await show(true);
    const url = `${issuers[provider].issuer}/ada/star-hopper`;
    expect(await publicProject()).toMatchObject({
      show_provenance: true,
      provenance: { repository_url: url, commit: commits[provider], run_url: `${url}/${run}` },
    });
    await show(false);
    await expectNothing();
  },
);

test("nothing is seen of a release that a person published, and that of a job's once it is live again", async () => {
  const release = await publish(await jobOf("github"), ada.slug, page);
  await show(true);
  await publish(ada, ada.slug, { "index.html": "<p>by Ada" });
  await expectNothing();
  await makeLive(ada, ada.slug, release);
  expect((await publicProject()).provenance).toMatchObject({ commit: commits.github });
});

test("nothing is seen once the project has another owner, who shows the own releases alone", async () => {
  const first = await publish(await jobOf("github"), ada.slug, page);
  await show(true);
  const heir = await ada.otherDeveloper();
  await handOver(ada, ada.slug, heir);
  expect((await publicProject()).show_provenance).toBe(false);
  await expectNothing();
  await heir.patch(`/projects/${ada.slug}`, { show_provenance: true });
  await expectNothing();
  await publish(heir, ada.slug, { "index.html": "<p>by the heir" });
  await makeLive(heir, ada.slug, first);
  await expectNothing();
});

describe("nothing is shown of a release", () => {
  beforeEach(() => show(true));

  test("that a job uploaded and a person made live", async () => {
    const { body } = await openRelease(await jobOf("github"), ada.slug, page);
    await makeLive(ada, ada.slug, body.release.id);
    await expectNothing();
  });

  test("that a person uploaded and a job made live", async () => {
    const { body } = await openRelease(ada, ada.slug, page);
    await makeLive(await jobOf("github"), ada.slug, body.release.id);
    await expectNothing();
  });

  test("that one run uploaded and another one made live", async () => {
    const { body } = await openRelease(await jobOf("github"), ada.slug, page);
    await makeLive(await jobOf("github", { run_id: "22259804325" }), ada.slug, body.release.id);
    await expectNothing();
  });

  test.each([
    ["has no run", { run_id: "" }],
    ["has an actor who may be cut", { actor: "a".repeat(300) }],
    ["has a commit of another form", { sha: "main" }],
  ])("of a job whose identity token %s", async (_, changes) => {
    await publish(await jobOf("github", changes), ada.slug, page);
    await expectNothing();
  });
});
