import type { Identity } from "../../entities/account.ts";
import * as environment from "../../environment.ts";
import { ServiceError } from "../service-error.ts";

/**
 * Checks whether the stage lets a person become a developer: by the domain of an email address that the provider has verified, a claim
 * of the ID token, both, or neither.
 *
 * @throws ServiceError `developer_not_allowed`
 */
export function assertMayBecomeDeveloper({ email, emailVerified, claims }: Identity): void {
  const domains = environment.developerEmailDomains();
  const claim = environment.developerClaim();
  const domain = emailVerified ? email?.split("@").at(-1)?.toLowerCase() : undefined;
  const hasDomain = domains.length === 0 || domains.includes(domain ?? "");
  const hasClaim = claim === undefined || [claims[claim.name]].flat().includes(claim.value);
  if (!hasDomain || !hasClaim) throw new ServiceError("developer_not_allowed");
}
