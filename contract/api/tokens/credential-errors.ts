/** The errors of a request whose credential is missing or wrong, or does not allow what it asks for. */
export const credentialErrors = {
  credential_missing: {
    status: 401,
    title: "Credential missing",
    detail: "Send an ID token or a personal access token as `Authorization: Bearer <token>`.",
  },
  credential_malformed: {
    status: 401,
    title: "Credential malformed",
    detail: "The Authorization header must be exactly one `Bearer <token>`.",
  },
  id_token_invalid: {
    status: 401,
    title: "ID token invalid",
    detail: "The ID token was not issued for this service or its signature does not match. Sign in again.",
  },
  id_token_expired: {
    status: 401,
    title: "ID token expired",
    detail: "The ID token has expired. Get a fresh one from your identity provider.",
  },
  token_invalid: {
    status: 401,
    title: "Personal access token invalid",
    detail: "No such personal access token exists. Check that it was copied whole, or create a new one.",
  },
  token_revoked: {
    status: 401,
    title: "Personal access token revoked",
    detail: "This personal access token was revoked. Create a new one and replace it where it is used.",
  },
  token_expired: {
    status: 401,
    title: "Personal access token expired",
    detail: "This personal access token has expired. Create a new one and replace it where it is used.",
  },
  telemetry_grant_invalid: {
    status: 401,
    title: "Telemetry grant invalid",
    detail: "No such telemetry grant exists, or it has ended. Ask whoever made the link for a new one.",
  },
  recent_sign_in_required: {
    status: 401,
    title: "Recent sign-in required",
    detail:
      "This needs a sign-in that is more recent. Sign in at the identity provider again, then send the new ID token.",
  },
  account_required: {
    status: 403,
    title: "Account required",
    detail: "The ID token is valid, but its person has no account yet. Create it with POST /auth/session.",
  },
  project_role_required: {
    status: 403,
    title: "Project role required",
    detail: "You are one of the people of this project, but may not do this. Its owner or an admin changes your role.",
  },
  tokens_refused: {
    status: 403,
    title: "Tokens refused",
    detail:
      "This project takes no change by a personal access token. Publish it by a CI job that it trusts, or in the dashboard, where its owner or an admin can allow tokens again.",
  },
  token_refused: {
    status: 403,
    title: "Token refused",
    detail:
      "The project's owner refuses this personal access token, and those that replace it, in this project. Ask the owner, who can take it again in the dashboard.",
  },
  person_required: {
    status: 403,
    title: "Person required",
    detail:
      "In this project a person decides what players get, not a token or a CI job. Do it in the dashboard, where you sign in again; what you publish waits there.",
  },
  account_suspended: {
    status: 403,
    title: "Account suspended",
    detail: "The operator has suspended this account. GET /me says why; ask the operator.",
  },
  project_suspended: {
    status: 403,
    title: "Project suspended",
    detail: "The operator has suspended this project, so it cannot be changed. Ask the operator.",
  },
  session_required: {
    status: 403,
    title: "Session required",
    detail: "A personal access token cannot do this. Send an ID token of the identity provider.",
  },
  token_required: {
    status: 403,
    title: "Personal access token required",
    detail: "This revokes the personal access token that it is sent with. With an ID token, use DELETE /tokens/:id.",
  },
  developer_required: {
    status: 403,
    title: "Developer required",
    detail: 'Only developers can do this. Become one with POST /auth/session and {"role": "dev"}.',
  },
  developer_not_allowed: {
    status: 403,
    title: "Developer not allowed",
    detail:
      "This service lets only some people become developers: by the domain of an email address that the identity provider has verified, or by a group there. Ask its operator.",
  },
  developer_approval_pending: {
    status: 403,
    title: "Developer approval pending",
    detail:
      "The operator of this service approves developers. Your account has asked; send the same request again once it is approved.",
  },
  origin_not_allowed: {
    status: 403,
    title: "Origin not allowed",
    detail: "A telemetry grant is taken from the origin of its game alone.",
  },
  insufficient_scope: {
    status: 403,
    title: "Insufficient scope",
    detail: "The personal access token does not have the scope that this needs. Create one that has it.",
  },
  project_not_in_token: {
    status: 403,
    title: "Project not in token",
    detail: "The personal access token is narrowed to other projects. Use one that includes this project.",
  },
} as const;
