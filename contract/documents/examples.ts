import type * as z from "zod/mini";
import { statementType } from "../api/attestations.ts";
import { errors } from "../api/errors.ts";
import { limits } from "../api/limits.ts";
import type { oauthError } from "../api/oauth.ts";
import type { Problem } from "../api/problem.ts";
import type { RouteName, Routes } from "../api/routes.ts";
import { apiVersion } from "../api/version.ts";
import {
  account,
  at,
  cover,
  type Example,
  event,
  index,
  newToken,
  openRelease,
  preview,
  project,
  publicProfile,
  publisher,
  rawToken,
  release,
  script,
  scriptInBrotli,
  slug,
  token,
  trustedJobs,
  withdrawnRelease,
} from "./example-objects.ts";
import { oauthExamples } from "./oauth-examples.ts";

/*
 * What the bodies of the API look like, for openapi.json and docs/api. The compiler and openapi.test.ts compare each
 * example with its schema. No function imports this file, so no bundle has it.
 */
const pendingPublisher = { project: slug, expires_at: "2026-12-20T16:05:12.480Z", publisher };
const previousRelease = withdrawnRelease.id;

const attestationKey = "1f4a0c52-7d3e-4b8a-9c61-2e5f8d90ab47";

const attestation = {
  payloadType: statementType,
  payload: "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLCJzdWJqZWN0IjpbXX0=",
  signatures: [
    {
      keyid: attestationKey,
      sig: "MEUCIQDyqF2Xv6zqB4pcg3gQ2mT3m2bZ0m9z5q4d1H3u0i6lZAIgP7m6C2h8o0x4nJ1sYkR5tW9vD3fE2aL8bQ6cU7rK1Xw=",
    },
  ],
} satisfies Example<Routes["getAttestation"]>["response"];

const changes = {
  current_release: previousRelease,
  added: { count: 0, paths: [] },
  changed: { count: 1, paths: ["game.js"] },
  removed: { count: 0, paths: [] },
  unchanged: { count: 2 },
  settings: { isolation: false, immutable: ["assets/**"], spa: false },
  changed_settings: [],
} satisfies Example<Routes["compareRelease"]>["response"];

const uploads = {
  uploads: [
    {
      sha256: script.sha256,
      url: `https://bucket.example/projects/${slug}/${script.sha256}?X-Amz-Signature=…`,
      headers: {
        "content-length": String(script.size),
        "if-none-match": "*",
        "x-amz-checksum-sha256": "kAlt8IWiLTc0tOr26j7DOV4PssZBiiYthMHFZ9EPSLs=",
      },
    },
  ],
  expires_at: "2026-11-21T11:12:41.006Z",
} satisfies Example<Routes["createUploads"]>["response"];

/** The examples of every route. */
export const examples = {
  createSession: { request: { role: "dev" }, response: account },
  getMe: {
    response: {
      ...account,
      auth: {
        kind: "token",
        token_id: token.id,
        name: token.name,
        scopes: token.scopes,
        projects: token.projects,
        expires_at: token.expires_at,
      },
      suspension: null,
      storage: {
        bytes: 96_430_027,
        objects: 412,
        limit: { bytes: limits.bytesPerAccount, objects: limits.objectsPerAccount },
        project_limit: { bytes: limits.bytesPerProject, objects: limits.objectsPerProject },
      },
    },
  },
  updateMe: { request: { display_name: account.developer.display_name, bio: null }, response: account },
  exportMe: {
    response: {
      ...account,
      suspension: null,
      records: [
        { kind: "token", token: { ...token, last_used_by: { client: "svc", network: "192.0.2.0/24" } } },
        { kind: "event", event },
        { kind: "offer", project: "dunes", kept_until: "2026-08-08T09:30:00.000Z" },
        { kind: "storage", storage: { bytes: 96_430_027, objects: 412 } },
        { kind: "project", project, publishers: [publisher] },
        { kind: "release", project: slug, release },
      ],
      next_cursor: null,
    },
  },
  listEvents: { response: { events: [event], next_cursor: null } },
  findUser: { response: publicProfile },
  getUser: { response: publicProfile },
  createToken: { request: { name: token.name, scopes: token.scopes, projects: token.projects }, response: newToken },
  listTokens: { response: { tokens: [token], next_cursor: null } },
  getToken: {
    response: {
      ...token,
      reach: [slug],
      last_used_by: { client: "svc", network: "192.0.2.0/24" },
      activity: [event],
      activity_complete: true,
    },
  },
  revokeToken: {},
  revokeCurrentToken: {},
  revokeTokens: { response: { revoked: 2, publishers: [{ project: slug, pending: false, publisher }] } },
  rotateToken: {
    request: { overlap_hours: 24 },
    response: { ...newToken, replaces: { id: "3Ml5oW4TOHUAc6aodyj3wp", expires_at: "2026-11-21T16:05:12.480Z" } },
  },
  discloseTokens: {
    request: { tokens: [{ token: rawToken, found_at: "https://forge.example/ada/game/commit/4f2a9c0" }] },
  },
  createProject: {
    request: { slug, name: project.name, description: project.description },
    response: {
      ...project,
      updated_at: at.signUp,
      current_release: null,
      provenance: null,
      storage: { bytes: 0, objects: 0 },
    },
  },
  listProjects: { response: { projects: [project], next_cursor: null } },
  getProject: { response: { ...project, storage: null } },
  updateProject: { request: { description: project.description }, response: project },
  deleteProject: {
    response: {
      ...project,
      deletion: { at: "2026-11-22T08:00:00.000Z", restorable_until: "2026-11-29T08:00:00.000Z" },
      edge: "updated",
    },
  },
  restoreProject: { response: { ...project, edge: "updated" } },
  unpublishProject: {
    request: { expect_current: release.id },
    response: { ...project, current_release: null, edge: "updated" },
  },
  offerProject: {
    request: { to: "b81d44f0" },
    response: { ...project, transfer: { to: "b81d44f0", expires_at: "2026-11-29T08:00:00.000Z" } },
  },
  listOffers: {
    response: {
      offers: [{ project: { ...project, storage: null }, from: publicProfile, expires_at: "2026-11-29T08:00:00.000Z" }],
      next_cursor: null,
    },
  },
  withdrawOffer: {},
  acceptOffer: { response: { ...project, edge: "updated" } },
  refuseOffer: {},
  createPublisher: { request: trustedJobs, response: publisher },
  listPublishers: { response: { publishers: [publisher] } },
  deletePublisher: {},
  createPendingPublisher: { request: { project: slug, publisher: trustedJobs }, response: pendingPublisher },
  listPendingPublishers: { response: { publishers: [pendingPublisher] } },
  deletePendingPublisher: {},
  createRelease: {
    request: {
      files: [
        { path: "index.html", ...index },
        { path: "game.js", ...script, br: scriptInBrotli },
        { path: "cover.png", ...cover },
      ],
      settings: { immutable: changes.settings.immutable },
      message: release.message,
      source: { commit: release.source.commit },
      picture: "cover.png",
      expect_current: previousRelease,
    },
    response: {
      release: openRelease,
      ...changes,
      missing: [script.sha256, scriptInBrotli.sha256],
      bytes_to_send: script.size + scriptInBrotli.size,
      first_uploads: uploads,
    },
  },
  createUploads: {
    request: { sha256: [script.sha256] },
    response: uploads,
  },
  continueUpload: {
    request: { parts: Array.from({ length: 5 }, () => script.sha256) },
    response: {
      stored: false,
      parts: [
        {
          number: 5,
          url: `https://bucket.example/projects/${slug}/${script.sha256}?partNumber=5&uploadId=…&X-Amz-Signature=…`,
          headers: {
            "content-length": String(script.size),
            "x-amz-checksum-sha256": "kAlt8IWiLTc0tOr26j7DOV4PssZBiiYthMHFZ9EPSLs=",
          },
        },
      ],
      expires_at: "2026-11-21T11:12:41.006Z",
    },
  },
  publishRelease: {
    request: { expect_current: previousRelease },
    response: { release, previous_release: previousRelease, edge: "updated" },
  },
  withdrawRelease: { response: { ...withdrawnRelease, edge: "updated" } },
  openPreview: { response: { preview, edge: "updated" } },
  endPreview: { response: { edge: "updated" } },
  listPreviews: { response: { previews: [preview] } },
  listReleases: { response: { releases: [openRelease], next_cursor: null } },
  getRelease: { response: release },
  compareRelease: { response: changes },
  getFile: {},
  getAttestation: { response: attestation },
  getLiveAttestation: { response: attestation },
  ...oauthExamples,
  getRoot: {},
  getHealth: { response: { status: "ok", version: apiVersion } },
  getAttestationKeys: {
    response: {
      keys: [
        {
          kty: "EC",
          crv: "P-256",
          // RFC 7517, appendix A.1
          x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
          y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
          kid: attestationKey,
          use: "sig",
          alg: "ES256",
        },
      ],
    },
  },
  getOpenApi: { response: { openapi: "3.1.1", info: { title: "svc", version: apiVersion } } },
  deleteMe: {},
} satisfies { readonly [Name in RouteName]: Example<Routes[Name]> };

/** Bodies of responses that are not a success, by the name of their schema. */
export const errorExamples = {
  Problem: {
    type: "urn:svc:error:validation_failed",
    title: errors.validation_failed.title,
    status: errors.validation_failed.status,
    detail: errors.validation_failed.detail,
    code: "validation_failed",
    request_id: "0b6f2c1e-7d55-4a0e-9c3b-1f2a9c01d7e8",
    errors: [{ pointer: "/name", detail: "must not be empty" }],
  } satisfies Problem,
  OAuthError: {
    error: "authorization_pending",
    error_description: errors.authorization_pending.detail,
  } satisfies z.output<typeof oauthError>,
};

/** The examples of a route by its name, as data of no particular shape; none where nobody has given them yet. */
export function examplesOf(name: string): { readonly request?: unknown; readonly response?: unknown } {
  return { ...examples[name as RouteName] };
}
