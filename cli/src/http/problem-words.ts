/** Words of svc for an error of the API, whose own sentence may be for programs, and advice about the next step. */
interface Words {
  readonly message?: string;
  readonly next?: string;
}

const newLogin = "svc login with a new token, or replace SVC_TOKEN.";

/** By the error's code. Without a message: the API's own sentence. */
export const problemWords: Readonly<Record<string, Words>> = {
  credential_missing: { message: "The API got no token.", next: "svc login" },
  credential_malformed: { message: "The API cannot read the token.", next: "svc login" },
  token_invalid: { next: "svc login" },
  token_revoked: { next: newLogin },
  token_expired: { next: newLogin },
  session_required: {
    message: "A personal access token cannot do this.",
    next: "Do it in the dashboard.",
  },
  account_suspended: { message: "The operator has suspended this account.", next: "svc whoami shows why." },
  developer_required: {
    message: "Only developers can do this.",
    next: "Make your first project or token in the dashboard: that makes you a developer.",
  },
  developer_not_allowed: {
    message: "This service does not let you become a developer.",
    next: "Ask its operator, who decides by email addresses or groups.",
  },
  developer_approval_pending: {
    message: "The operator of this service approves developers, and your account waits for that.",
    next: "Try again once it is approved.",
  },
  insufficient_scope: {
    next: "svc whoami shows the token's scopes. Create a token with the missing scope, then svc login.",
  },
  project_not_in_token: { next: "svc whoami shows the token's projects. Use a token that includes this one." },
  tokens_refused: {
    next: "svc publishers shows the CI jobs that may publish it. In the dashboard, drop the folder on the project's page.",
  },
  project_not_found: {
    message: "You have no project with this address.",
    next: "svc projects list shows yours; svc projects create, or svc publish --create, creates one.",
  },
  project_role_required: { next: "svc members shows who is its owner or an admin, who may do this." },
  owner_stays: {
    message: "You own this project, and a project has an owner.",
    next: "svc invite UID --role owner hands it over; svc projects delete deletes it.",
  },
  project_deleted: {
    message: "This project is deleted.",
    next: "svc projects list says until when its owner can restore it in the dashboard.",
  },
  project_limit_reached: { next: "Delete a project in the dashboard, or hand it over." },
  slug_taken: { next: "Choose another address: svc init writes it to svc.toml." },
  quota_exceeded: { next: "svc whoami shows what is stored, svc projects list how much of each project." },
  release_not_found: { message: "The project has no such release.", next: "svc releases shows them." },
  current_release_changed: {
    next: "svc releases shows what is live now. If it may be replaced, run the command again.",
  },
  validation_failed: { message: "The API does not accept a value.", next: "Correct it, then try again." },
  method_not_allowed: {
    message: "The API does not know this request.",
    next: "Check that svc is not newer than the API.",
  },
  route_not_found: {
    message: "The API does not know this request.",
    next: "Check the API URL, and that svc is not newer than the API.",
  },
};
