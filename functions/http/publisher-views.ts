import type * as z from "zod/mini";
import { publicIssuers } from "../../contract/api/ci-jobs.ts";
import type * as contract from "../../contract/api/publishers.ts";
import type { AccountPublisher } from "../domain/publishers/account-publishers.ts";
import type { PendingPublisher, TrustedJobs, TrustedPublisher } from "../entities/publisher.ts";

/*
 * Views (see views.ts) of trusted publishers.
 */

type PublisherView = z.infer<typeof contract.publisher>;
type JobsBody = z.infer<typeof contract.trustedJobs>;

/** The jobs that a person describes, with what was left out. */
export function trustedJobs(body: JobsBody): TrustedJobs {
  const { provider, may, environment = null, repository = null } = body;
  const common = {
    ...(may === "preview" && { may }),
    issuer: body.issuer ?? publicIssuers[provider],
    environment,
    // An environment has rules of its own for branches and tags. Previews are of branches that are not protected yet.
    refProtected: body.ref_protected ?? (environment === null && may === "publish"),
    repository,
  };
  if (body.provider === "github") {
    const { repository_id: repositoryId, repository_owner_id: repositoryOwnerId, workflow, events } = body;
    return { provider: body.provider, ...common, repositoryId, repositoryOwnerId, workflow, events: events.toSorted() };
  }
  const { project_id: projectId, namespace_id: namespaceId, ci_config_path: ciConfigPath } = body;
  return { provider: body.provider, ...common, projectId, namespaceId, ciConfigPath };
}

export function publisherView(publisher: TrustedPublisher): PublisherView {
  const { id, createdAt, issuer, environment, refProtected, repository } = publisher;
  const may: PublisherView["may"] = publisher.may ?? "publish";
  const common = { id, created_at: createdAt, issuer, may, environment, ref_protected: refProtected, repository };
  if (publisher.provider === "gitlab") {
    const { provider, projectId, namespaceId, ciConfigPath } = publisher;
    return { ...common, provider, project_id: projectId, namespace_id: namespaceId, ci_config_path: ciConfigPath };
  }
  const { provider, repositoryId, repositoryOwnerId, workflow, events } = publisher;
  const ids = { repository_id: repositoryId, repository_owner_id: repositoryOwnerId };
  return { ...common, provider, ...ids, workflow, events: [...events] };
}

export function pendingPublisherView({
  slug,
  pending: { expiresAt, publisher },
}: {
  readonly slug: string;
  readonly pending: PendingPublisher;
}) {
  return { project: slug, expires_at: expiresAt, publisher: publisherView(publisher) };
}

export function accountPublisherView({ slug, isPending, publisher }: AccountPublisher) {
  return { project: slug, pending: isPending, publisher: publisherView(publisher) };
}
