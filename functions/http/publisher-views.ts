import type * as z from "zod/mini";
import { publicIssuers } from "../../contract/api/projects/ci-jobs.ts";
import type * as contract from "../../contract/api/projects/publishers.ts";
import type { AccountPublisher } from "../domain/publishers/account-publishers.ts";
import type { ShownPublisher } from "../domain/publishers/publishers.ts";
import type { Account } from "../entities/account.ts";
import type { PendingPublisher, TrustedJobs } from "../entities/publisher.ts";
import { userView } from "./views.ts";

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
    ...(body.only_latest_run && { onlyLatestRun: true as const }),
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

export function publisherView(publisher: ShownPublisher): PublisherView {
  const { id, createdAt, adder, issuer, environment, refProtected, repository } = publisher;
  const may: PublisherView["may"] = publisher.may ?? "publish";
  const addedBy = adder ? { ...userView(adder.account), role: adder.role ?? null } : null;
  const stored = { id, created_at: createdAt, added_by: addedBy };
  const only_latest_run = publisher.onlyLatestRun ?? false;
  const common = { ...stored, issuer, may, environment, ref_protected: refProtected, only_latest_run, repository };
  if (publisher.provider === "gitlab") {
    const { provider, projectId, namespaceId, ciConfigPath } = publisher;
    return { ...common, provider, project_id: projectId, namespace_id: namespaceId, ci_config_path: ciConfigPath };
  }
  const { provider, repositoryId, repositoryOwnerId, workflow, events } = publisher;
  const ids = { repository_id: repositoryId, repository_owner_id: repositoryOwnerId };
  return { ...common, provider, ...ids, workflow, events: [...events] };
}

/** View for the account that waits for the project. */
export function pendingPublisherView(
  { slug, pending }: { readonly slug: string; readonly pending: PendingPublisher },
  account: Account,
) {
  const { expiresAt, publisher } = pending;
  const adder = { account, role: undefined };
  return { project: slug, expires_at: expiresAt, publisher: publisherView({ ...publisher, adder }) };
}

export function accountPublisherView({ slug, isPending, publisher }: AccountPublisher) {
  return { project: slug, pending: isPending, publisher: publisherView(publisher) };
}
