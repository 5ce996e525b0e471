import * as z from "zod/mini";
import { byPeopleAndJobs, slugParams } from "./projects.ts";
import { releaseParams } from "./releases.ts";
import { about, defineRoute } from "./route.ts";

/** What the payload of the envelope is (in-toto Attestation Framework, "Envelope"). */
export const statementType = "application/vnd.in-toto+json";

/** The predicate of a statement (docs/provenance.md). */
export const publicationType = "urn:svc:attestation:publication:v1";

/** A DSSE envelope (https://github.com/secure-systems-lab/dsse/blob/v1.0.2/envelope.md). */
const envelope = z.strictObject({
  payloadType: about(`\`${statementType}\`.`, z.string(), statementType),
  payload: about(
    "The statement in base64: in-toto Statement v1 of a publication.",
    z.string(),
    "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLCJzdWJqZWN0IjpbXX0=",
  ),
  signatures: about(
    "One.",
    z.array(
      z.strictObject({
        keyid: about(
          "The `kid` of the key in `/.well-known/jwks.json`.",
          z.string(),
          "1f4a0c52-7d3e-4b8a-9c61-2e5f8d90ab47",
        ),
        sig: about(
          "The ECDSA P-256 SHA-256 signature in base64, DER-encoded.",
          z.string(),
          "MEUCIQDyqF2Xv6zqB4pcg3gQ2mT3m2bZ0m9z5q4d1H3u0i6lZAIgP7m6C2h8o0x4nJ1sYkR5tW9vD3fE2aL8bQ6cU7rK1Xw=",
        ),
      }),
    ),
  ),
});

export const getAttestation = defineRoute({
  method: "GET",
  path: "/projects/:slug/releases/:id/attestation",
  summary: "The signed statement of which CI run a release comes from, in a DSSE envelope (in-toto)",
  details:
    "Only of a release that a trusted publisher's job has uploaded and made live, and that was not withdrawn. docs/provenance.md says how to verify it.",
  tag: "Releases",
  ...byPeopleAndJobs,
  params: releaseParams,
  responses: { 200: envelope },
  errors: ["release_not_found", "attestation_not_found"],
});

export const getLiveAttestation = defineRoute({
  method: "GET",
  path: "/projects/:slug/attestation",
  summary: "The same of the live release, for everybody, if the project shows its provenance",
  tag: "Releases",
  credential: "none",
  params: slugParams,
  responses: { 200: envelope },
  errors: ["attestation_not_found", "project_not_found", "project_taken_down"],
});

export const getAttestationKeys = defineRoute({
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "The public keys of attestations, as a JWK set (RFC 7517)",
  details: "Earlier keys stay in it, so that what they have signed can be verified.",
  tag: "Service",
  credential: "none",
  responses: {
    200: z.strictObject({
      keys: about(
        "The last one signs.",
        z.array(
          z.strictObject({
            kty: about("`EC`.", z.string(), "EC"),
            crv: about("`P-256`.", z.string(), "P-256"),
            x: about("The point's x.", z.string(), "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"),
            y: about("The point's y.", z.string(), "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"),
            kid: about("What a signature names.", z.string(), "1f4a0c52-7d3e-4b8a-9c61-2e5f8d90ab47"),
            use: about("`sig`.", z.string(), "sig"),
            alg: about("`ES256`.", z.string(), "ES256"),
          }),
        ),
      ),
    }),
    304: null,
  },
  errors: ["temporarily_unavailable"],
});
