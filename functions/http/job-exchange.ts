import type * as z from "zod/mini";
import type { exchangeGrant } from "../../contract/api/login/oauth.ts";
import { jobScopes } from "../../contract/api/projects/ci-jobs.ts";
import { slug } from "../../contract/api/projects/projects.ts";
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
  const asked = jobScopes.find((known) => known === scope);
  if (asked !== scope)
    throw new ServiceError("invalid_scope", { detail: "A CI job gets the scope preview or publish, and one alone." });
  const prefix = `${origin}/projects/`;
  const named = slug.safeParse(resource.startsWith(prefix) ? resource.slice(prefix.length) : undefined);
  if (!named.success)
    throw new ServiceError("invalid_target", { detail: `The resource must be ${prefix} with the project's slug.` });
  return { job: await verifyJobToken(token, origin), slug: named.data, ownerUid: owner, scope: asked };
}
