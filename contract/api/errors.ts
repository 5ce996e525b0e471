import { limits } from "./limits.ts";
import { oauthErrors } from "./login/oauth-errors.ts";
import { releaseErrors } from "./releases/release-errors.ts";
import { credentialErrors } from "./tokens/credential-errors.ts";

/** One error as a caller sees it: the HTTP status, a fixed title, and a detail that says what to do next (RFC 9457). */
interface ErrorDefinition {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** Every error of the service. Codes are permanent: programs match on them. */
export const errors = {
  malformed_json: {
    status: 400,
    title: "Malformed JSON",
    detail: "The request body is not JSON in UTF-8. Send one JSON object.",
  },
  invalid_parameters: {
    status: 400,
    title: "Invalid parameters",
    detail: "A path or query parameter is not valid. The errors member names it.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    detail: "The cursor is not one that this service gave out for this list. Start again without a cursor.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "Idempotency key invalid",
    detail: `Idempotency-Key must be one key of 1 to ${limits.idempotencyKeyLength} letters, digits and -._~:+/=, for example a UUID. It may stand in double quotes.`,
  },
  ...oauthErrors,
  ...credentialErrors,
  route_not_found: {
    status: 404,
    title: "Route not found",
    detail: "No route has this path. GET /openapi.json lists all routes.",
  },
  user_not_found: {
    status: 404,
    title: "User not found",
    detail: "No user has this uid.",
  },
  token_not_found: {
    status: 404,
    title: "Personal access token not found",
    detail: "You have no personal access token with this id. GET /tokens lists yours.",
  },
  project_not_found: {
    status: 404,
    title: "Project not found",
    detail: "No project of yours has this slug. GET /projects lists yours.",
  },
  saves_unavailable: {
    status: 404,
    title: "Saved games unavailable",
    detail: "No game that can be played now has this host, so its saved games are not sent. Save to a file instead.",
  },
  saves_link_not_found: {
    status: 404,
    title: "Saved games not found",
    detail: "This link was used, or is older than an hour. Make another one on the device that has the saved games.",
  },
  publisher_not_found: {
    status: 404,
    title: "Publisher not found",
    detail: "The project has no trusted publisher with this id. GET /projects/:slug/publishers lists them.",
  },
  member_not_found: {
    status: 404,
    title: "Member not found",
    detail: "The project has no member with this id. GET /projects/:slug/members lists them.",
  },
  invitation_not_found: {
    status: 404,
    title: "Invitation not found",
    detail:
      "There is no such invitation for you. It may have been used, withdrawn or replaced, or have expired: ask for a new one.",
  },
  release_not_found: {
    status: 404,
    title: "Release not found",
    detail: "The project has no release with this id. It may have expired unpublished: publish again.",
  },
  webhook_not_found: {
    status: 404,
    title: "Webhook not found",
    detail: "The project has no webhook with this id. GET /projects/:slug/webhooks lists them.",
  },
  delivery_not_found: {
    status: 404,
    title: "Delivery not found",
    detail: `The webhook has no delivery with this id. Of each webhook the last ${limits.deliveriesPerWebhook} are kept.`,
  },
  profile_not_found: {
    status: 404,
    title: "Profile not found",
    detail: `The project has no profile with this id. Profiles are kept for ${limits.profileRetentionDays} days.`,
  },
  file_not_found: {
    status: 404,
    title: "File not found",
    detail: "The live release of this project has no such file.",
  },
  device_request_not_found: {
    status: 404,
    title: "Device request not found",
    detail: "No machine waits for this code. It may have expired or been answered: sign in again on the machine.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    detail: "This path does not take this method. The Allow header lists those that it takes.",
  },
  token_limit_reached: {
    status: 409,
    title: "Token limit reached",
    detail: `The account has ${limits.activeTokensPerAccount} active personal access tokens. Revoke one with DELETE /tokens/:id first.`,
  },
  token_not_active: {
    status: 409,
    title: "Personal access token not active",
    detail: "This personal access token was revoked or has expired. Create a new one with POST /tokens.",
  },
  project_limit_reached: {
    status: 409,
    title: "Project limit reached",
    detail: `The account has ${limits.projectsPerAccount} projects, the most that one account can have.`,
  },
  member_limit_reached: {
    status: 409,
    title: "Member limit reached",
    detail: `A project has at most ${limits.membersPerProject} people, with its owner and open invitations. Remove a member or withdraw an invitation first.`,
  },
  already_member: {
    status: 409,
    title: "Already a member",
    detail: "You are one of the people of this project already. Its owner or an admin changes your role.",
  },
  owner_stays: {
    status: 409,
    title: "Owner stays",
    detail: "A project has an owner. Invite somebody with the role owner to hand it over, or delete it.",
  },
  refused_token_limit_reached: {
    status: 409,
    title: "Refused token limit reached",
    detail: `The project refuses ${limits.refusedTokensPerProject} tokens that are still active. Take one again, or remove the member whose tokens they are.`,
  },
  webhook_limit_reached: {
    status: 409,
    title: "Webhook limit reached",
    detail: `A project has at most ${limits.webhooksPerProject} webhooks. Remove one first.`,
  },
  publisher_limit_reached: {
    status: 409,
    title: "Publisher limit reached",
    detail: `A project has at most ${limits.publishersPerProject} trusted publishers. Remove one first.`,
  },
  open_release_limit_reached: {
    status: 409,
    title: "Open release limit reached",
    detail: `The project has ${limits.openReleasesPerProject} open releases, the most that one can have. Publish one of them, or wait: each expires ${limits.openReleaseLifetimeSeconds / 86_400} days after it was opened, and a day later it is not counted any more.`,
  },
  telemetry_grant_limit_reached: {
    status: 409,
    title: "Telemetry grant limit reached",
    detail: `The account has ${limits.telemetryGrantsPerAccount} telemetry grants. End one, or wait: each expires after an hour.`,
  },
  profile_conflict: {
    status: 409,
    title: "Profile conflict",
    detail: "This does not follow what the profile has, so it was not added.",
  },
  profile_full: {
    status: 409,
    title: "Profile full",
    detail: `A profile has at most ${limits.bytesPerProfile / 1024 ** 2} MiB. Make a new link to go on.`,
  },
  quota_exceeded: {
    status: 409,
    title: "Quota exceeded",
    detail: "This exceeds a quota. Files that no release needs are deleted within a day or two; try again then.",
  },
  projects_left: {
    status: 409,
    title: "Projects left",
    detail: "The account has projects. Delete them or hand them over, then delete the account.",
  },
  account_erasure_unfinished: {
    status: 409,
    title: "Account erasure unfinished",
    detail: "The account was deleted, but not everything about it is erased yet. Send DELETE /me again, then sign in.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    detail: "Another project has this slug. Choose a different one.",
  },
  idempotency_key_in_use: {
    status: 409,
    title: "Idempotency key in use",
    detail:
      "Another request with the same Idempotency-Key was under way. Try again: the response is what that one created.",
  },
  idempotency_result_gone: {
    status: 409,
    title: "Idempotency result gone",
    detail:
      "What an earlier request with this Idempotency-Key created does not exist any more. To create it again, send another key.",
  },
  ...releaseErrors,
  project_deleted: {
    status: 410,
    title: "Project deleted",
    detail: `This project is deleted. Its owner can bring it back with POST /projects/:slug/restore within ${limits.projectRestoreDays} days of its deletion.`,
  },
  project_taken_down: {
    status: 410,
    title: "Project taken down",
    detail: "The operator has taken this project down.",
  },
  current_release_changed: {
    status: 412,
    title: "Current release changed",
    detail: "Another release went live in the meantime. Look at it, then publish again if yours should replace it.",
  },
  precondition_failed: {
    status: 412,
    title: "Precondition failed",
    detail: "This was changed since the response whose ETag or time you sent. Read it again, then decide again.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    detail: `The request body is larger than ${limits.jsonBodyBytes / 1024} KiB, or ${limits.manifestBodyBytes / 1024 ** 2} MiB if it opens a release.`,
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    detail: "Send the body as `Content-Type: application/json`, not compressed.",
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    detail: "The request body does not fit its schema. The errors member names each place.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency key reused",
    detail:
      "This Idempotency-Key was sent with another request within a day. Send each request that creates something with a key of its own.",
  },
  too_many_creations: {
    status: 429,
    title: "Too many creations",
    detail: `The account has created ${limits.creationsPerAccountAndDay.toLocaleString("en")} tokens and projects today. Try again after midnight UTC, as Retry-After says.`,
  },
  too_many_guesses: {
    status: 429,
    title: "Too many guesses",
    detail: `The account has looked up ${limits.userCodesPerTenMinutes} codes in ten minutes. Wait ten minutes, then try again.`,
  },
  saves_link_limit_reached: {
    status: 429,
    title: "Too many links with saved games",
    detail: "Too many players send saved games of this game now. Save to a file, or try again in an hour.",
  },
  too_many_requests: {
    status: 429,
    title: "Too many requests",
    detail: "Too many requests come from your network address. Wait a minute, then try again.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    detail: "Something is wrong on our side. Try again; if it stays, report it with the request_id.",
  },
  identity_provider_unavailable: {
    status: 503,
    title: "Identity provider unavailable",
    detail:
      "The identity provider's signing keys cannot be fetched, so the ID token cannot be checked now. Try again soon.",
  },
  files_being_deleted: {
    status: 503,
    title: "Files being deleted",
    detail:
      "No kept release needed some of these files, so they are being deleted right now. Try again after the time that Retry-After gives.",
  },
  temporarily_unavailable: {
    status: 503,
    title: "Temporarily unavailable",
    detail: "The service is busy, or a part of it cannot be reached. Try again after the time that Retry-After gives.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;
