import type * as z from "zod/mini";
import type { exchangeGrant } from "../../contract/api/login/oauth.ts";
import { projectResource, slugOfResource } from "../../contract/api/login/project-resource.ts";
import { jobScopes } from "../../contract/api/projects/ci-jobs.ts";
import { isReservedSlug } from "../../contract/api/projects/slug.ts";
import type { JobExchange } from "../domain/publishers/exchange.ts";
import { ServiceError } from "../domain/service-error.ts";
import { verifyJobToken } from "../identity/job-token.ts";

type Form = z.output<(typeof exchangeGrant)["body"]>;

/**
 * Reads which CI job wants a token for which project (RFC 8693, section 2.1), and whose it must be.
 *
 * @param origin the API's, which is the audience of identity tokens
 * @throws ServiceError `invalid_request` if a parameter is missing; `invalid_scope`; `invalid_target` for a resource that is no project of this API;
 *   those of {@link verifyJobToken}
 */
export async function readJobExchange(
  { subject_token: token, subject_token_type: type, resource, scope, owner }: Form,
  origin: string,
): Promise<JobExchange> {
  if (token === undefined || type === undefined || resource === undefined)
    throw new ServiceError("invalid_request", {
      detail: "This grant type needs subject_token, subject_token_type and one resource.",
    });
  const asked = jobScopes.find((jobScope) => jobScope === scope);
  if (asked !== scope)
    throw new ServiceError("invalid_scope", { detail: "A CI job gets the scope preview or publish, and one alone." });
  const slug = slugOfResource(resource, origin);
  if (slug === undefined || isReservedSlug(slug)) {
    const detail = `The resource must be ${projectResource("", origin)} with the project's slug.`;
    throw new ServiceError("invalid_target", { detail });
  }
  return { job: await verifyJobToken(token, origin), slug, ownerUid: owner, scope: asked };
}
