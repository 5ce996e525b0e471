import { X509Certificate } from "node:crypto";
import * as z from "zod/mini";
import { certificateArn, flag } from "./setting-values.ts";

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Certificates of authorities alone: whatever else stands there API Gateway ignores, a private key too. */
function hasAuthorities(text: string): boolean {
  const certificates = text.match(pem) ?? [];
  if (certificates.length === 0 || text.replace(pem, "").trim() !== "") return false;
  try {
    return certificates.every((each) => new X509Certificate(each).ca);
  } catch {
    return false;
  }
}

/** CloudFront and AWS WAF before the API: docs/operations/api-edge.md. */
export const apiEdge = z.strictObject({
  /** For `domain.name`, in us-east-1, where CloudFront reads it. */
  certificateArn,
  /** With which CloudFront authenticates itself to API Gateway: imported into us-east-1, issued by `authority`, for TLS clients. */
  clientCertificateArn: certificateArn,
  /** In PEM: who may issue client certificates. An authority that issues no other ones, or their owners are taken for CloudFront. */
  authority: z.string().check(z.refine(hasAuthorities, "must be the PEM certificates of authorities and nothing else")),
  /** Set once the name of `domain` leads to the distribution: from then on API Gateway refuses whoever goes around it. */
  isOnlyWay: flag,
  /** What one IP address may send; 300 by default. Files of releases: five times as many; signing in: a fifth (infra/api-edge-waf.ts). */
  requestsPerMinute: z.optional(
    z.int("must be a whole number").check(z.minimum(50, "must be at least 50, of which AWS WAF can count a fifth")),
  ),
});
