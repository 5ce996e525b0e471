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
    next: "Do it in the dashboard: svc open projects",
  },
  account_suspended: { message: "The operator has suspended this account.", next: "svc whoami shows why." },
  developer_required: {
    message: "Only developers can do this.",
    next: "Make your first project or token in the dashboard: svc open projects. That makes you a developer.",
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
    next: "svc whoami shows the token's scopes. Create a token with the missing scope (svc open tokens), then svc login --token -",
  },
  project_not_in_token: {
    next: "svc whoami shows the token's projects. svc login here asks for a token that includes this one.",
  },
  token_refused: {
    next: "svc login asks for another token. The project's owner can take this one again: svc open settings",
  },
  tokens_refused: {
    next: "svc publishers lists the CI jobs that may publish it. A person drops the folder on its page: svc open overview",
  },
  person_required: {
    message: "In this project a person decides what players get, not a token.",
    next: "Do it in the dashboard: svc open overview",
  },
  project_not_found: {
    message: "You have no project with this address.",
    next: "svc projects list shows yours; svc projects create, or svc publish --create, creates one.",
  },
  project_role_required: { next: "svc members shows who is its owner or an admin, who may do this." },
  owner_stays: {
    message: "You own this project, and a project has an owner.",
    next: "Hand it over, or delete it: svc open delete",
  },
  project_deleted: {
    message: "This project is deleted.",
    next: "svc projects list says until when. Its owner restores it in the dashboard: svc open projects",
  },
  project_limit_reached: { next: "Delete a project, or hand it over: svc open delete -p PROJECT" },
  slug_taken: { next: "Choose another address: svc init writes it to svc.toml." },
  quota_exceeded: { next: "svc whoami shows what is stored, svc projects list how much of each project." },
  release_not_found: { message: "The project has no such release.", next: "svc releases shows them." },
  current_release_changed: {
    next: "svc releases shows what is live now. If it may be replaced, run the command again.",
  },
  invalid_parameters: { message: "The API refuses a value.", next: "Correct it, then try again." },
  validation_failed: { message: "The API refuses a value.", next: "Correct it, then try again." },
  method_not_allowed: {
    message: "The API does not know this request.",
    next: "Check that svc is not newer than the API.",
  },
  route_not_found: {
    message: "The API does not know this request.",
    next: "Check the API URL, and that svc is not newer than the API.",
  },
};
