import type { Project } from "../../../functions/entities/project.ts";
import type { JobRun } from "../../../functions/entities/publisher.ts";
import type { Release } from "../../../functions/entities/release.ts";
import { keys } from "../../../functions/table/keys.ts";
import type { TestService } from "../service/service.ts";
import { setAttribute, storedItem } from "./stored.ts";

const commit = "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88";

/** A run as the exchange stores it. */
const jobRun: JobRun = {
  ...{ provider: "github", repository: "ada/star-hopper", repositoryId: "731204551", ownerId: "4096123" },
  ...{ commit, ref: "refs/heads/main", workflow: ".github/workflows/publish.yml", event: "push", actor: "ada" },
  runUrl: "https://github.com/ada/star-hopper/actions/runs/22259804324",
  ...{ runner: "github-hosted", attempt: "1" },
};

/** Stores of a live release what it has if a CI job has published it, which needs an issuer that the service knows, and shows it. */
export async function storePublishedByJob(service: TestService, slug: string, releaseId: string): Promise<void> {
  const [release, project] = [keys.release(slug, releaseId), keys.project(slug)];
  const { firstPublished } = (await storedItem(service, release)) as unknown as Release;
  await setAttribute(service, release, "firstPublished", { ...firstPublished, run: jobRun });
  const { currentRelease, ownerKey: accountKey } = (await storedItem(service, project)) as unknown as Project;
  const { repository, commit, runUrl } = jobRun;
  await setAttribute(service, project, "currentRelease", {
    ...currentRelease,
    run: { repository, commit, runUrl, accountKey },
  });
  await setAttribute(service, project, "showProvenance", true);
}
