import {
  githubClaims,
  githubPublisher,
  type JobIssuers,
  jobExchange,
  newRepository,
} from "../../../test/support/identity/jobs.ts";
import type { Actors } from "../../../test/support/service/actors.ts";
import { withProject } from "../../../test/support/service/operations.ts";

/** The exchange of a CI job's identity, each time of another identity token, and the requests that its issuer got so far. */
export interface JobExchanges {
  exchange(): Promise<void>;
  issuerRequests(): number;
}

/** A project that trusts jobs of a repository of GitHub. */
export async function prepareJobExchanges(api: string, actors: Actors, { github }: JobIssuers): Promise<JobExchanges> {
  const { slug, post } = await withProject(await actors.developer());
  const repository = newRepository();
  await post(`/projects/${slug}/publishers`, githubPublisher(repository, github.issuer));
  return {
    exchange: async () => {
      const job = github.idToken({ claims: { aud: api, ...githubClaims(repository) } });
      const { status } = await actors.anonymous.send("POST", "/oauth/token", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(jobExchange(api, slug, job)).toString(),
      });
      if (status !== 200) throw new Error(`The exchange responded with ${status}`);
    },
    issuerRequests: () => github.discoveries + github.keyRequests,
  };
}
