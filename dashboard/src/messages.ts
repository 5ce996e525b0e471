import { ApiError, isWithin, NetworkError, UnsendableParameter } from "../../contract/api-error.ts";

/** Advice about errors whose own sentence is for programs that call the API. */
const onThisPage: Partial<Record<ApiError["code"], string>> = {
  account_required: "This account does not exist any more. Load the page to create a new one.",
  account_suspended: "The operator has suspended your account. Ask the operator why.",
  account_erasure_unfinished:
    "Your earlier account is deleted, but not everything of it is erased yet. Try again in a minute.",
  files_being_deleted: "The service is deleting some of these files, which nothing needed. Try again in a minute.",
  id_token_expired: "You are not signed in any more. Load the page to sign in again.",
  id_token_invalid: "You are not signed in any more. Load the page to sign in again.",
  open_release_limit_reached:
    "This project has as many unpublished releases as it can have. Publish one of them, or wait: each is deleted after 7 days.",
  payload_too_large:
    "The paths of these files are too long for one release. Pack small files together, or give folders shorter names.",
  slug_taken: "This address is taken. Choose another one. If you deleted a game that had it, restore that one instead.",
  quota_exceeded:
    "There is no room for this. Files that no release needs any more are deleted within a day or two; your Account page says how much is stored.",
  release_not_found: "This release does not exist any more. Load the page again.",
  session_required: "This needs you to be signed in here. Load the page again.",
  identity_provider_unavailable: "Your sign-in cannot be checked now. Try again in a minute.",
  internal_error: "Something went wrong on our side. Try again in a minute.",
  idempotency_result_gone:
    "What your first try created was used or has expired since then. Look at the list; to create another one, try again.",
  token_limit_reached:
    "You have 50 active tokens, the most that an account can have. Revoke one that is not used any more.",
  developer_required: "Only a developer can do this. You become one when you make or publish a project.",
  developer_not_allowed:
    "The operator of this service lets only some people make projects, such as those with a verified email address of an organisation. Ask the operator.",
  developer_approval_pending:
    "The operator of this service approves developers. Your account waits for that; once it is approved, do this again.",
  token_not_found: "This token does not exist any more. Load the page again.",
  project_not_found:
    "You have no project at this address, or you are not a member of it any more. Choose one on the Projects page.",
  profile_not_found: "This profile does not exist: it was never made, or its 30 days are over.",
  telemetry_grant_limit_reached:
    "You have 10 links for profiles that work, the most that an account can have. End one, or wait for an hour.",
  webhook_not_found: "This webhook was removed. Load the page again.",
  webhook_limit_reached: "This project has 5 webhooks, the most that it can have. Remove one first.",
  delivery_not_found: "This delivery is not kept any more: of each webhook the last 20 are.",
  member_not_found: "This person is not a member any more. Load the page again.",
  member_limit_reached:
    "This project has 20 members and open invitations, the most that it can have. Remove a member or withdraw an invitation first.",
  refused_token_limit_reached:
    "This project refuses 100 tokens already, the most that it can. Take one again, or remove the member whose tokens they are.",
  already_member: "You are a member of this project already. You find it on the Projects page.",
  owner_stays: "You own this project now, so you cannot leave it. Hand it over or delete it.",
  invitation_not_found:
    "Nobody invites you here. Maybe the invitation was used or withdrawn, or it has expired, or the link is not whole: open it again, or ask for a new one.",
  current_release_changed:
    "Another release went live in the meantime. The page shows it now: look at it, then decide again.",
  precondition_failed:
    "Another window changed this meanwhile. Save again to replace that, or load the page again to see it.",
  release_live: "This release, or one with the same files, is live. Make another one live first.",
  too_many_previews: "This project has 10 previews, the most that it can have. End one, or make it live.",
  preview_not_found: "This preview has ended. Load the page again.",
  publisher_limit_reached:
    "At most 10 kinds of CI jobs may publish a project, and 3 may create one. Remove one, or create the project yourself.",
  publisher_not_found:
    "These CI jobs are not in this list any more: they were removed, or have created their project. Load the page again.",
  release_withdrawn: "This release was deleted, so it cannot be made live again.",
  device_request_not_found:
    "No machine waits for this code. Check it; after ten minutes, run svc login --device again for a new one.",
  too_many_creations: "You have created too many tokens and projects today. Try again tomorrow.",
  too_many_guesses: "Too many codes in ten minutes. Wait ten minutes, then try again.",
  recent_sign_in_required: "This needs you to sign in again. Try it once more, and sign in when you are asked to.",
  token_not_active: "This token does not work any more, so it cannot be replaced. Create a new one.",
  user_not_found: "Nobody has this user ID. Ask them to copy it from their Account page.",
  projects_left: "You have projects. Delete each or hand it over, then delete the account.",
  project_limit_reached: "You have 50 projects, the most that an account can have. Delete one or hand it over.",
  project_deleted: "This project is deleted. Its owner can restore it on the Projects page.",
  project_taken_down: "Nobody can play this project: it was deleted, or the operator closed it.",
  project_role_required: "Your role in this project does not let you do this. Ask its owner or an admin.",
  project_suspended: "The operator has suspended this project, so it cannot be changed. Ask the operator.",
  validation_failed: "Something in the form is not right. Correct the marked fields.",
  invalid_cursor: "The list has changed. Load the page again.",
};

/** The errors whose own sentence a person can follow. */
const forPeople = new Set<ApiError["code"]>([
  "too_many_requests",
  "temporarily_unavailable",
  "idempotency_key_in_use",
  "release_incomplete",
  "copies_differ",
  "schedule_invalid",
]);

function ofService(error: ApiError, fields: ReadonlySet<string>): string {
  const isMarked = (pointer: string) => [...fields].some((field) => isWithin(pointer, field));
  const elsewhere = error.places.find(({ pointer }) => !isMarked(pointer));
  if (elsewhere) return `The service refuses this: ${elsewhere.pointer.slice(1)} ${elsewhere.detail}.`;
  if (forPeople.has(error.code)) return error.message;
  if (error.code === "gateway" || error.code === "unexpected_response") return ofGateway(error.status);
  return onThisPage[error.code] ?? "The service does not understand this page. Load it again; what you saved is safe.";
}

/** API Gateway's own refusals have no words for people, nor has what another server says in its place. */
function ofGateway(status: number): string {
  if (status === 413) return onThisPage.payload_too_large ?? "";
  if (status === 429) return "Too many requests. Wait a few seconds, then try again.";
  return `The service has trouble (status ${status}). Try again in a minute.`;
}

/**
 * One sentence about what went wrong that says what to do.
 *
 * @param fields JSON Pointers of the fields that show their own error beside this
 */
export function messageOf(error: unknown, fields: ReadonlySet<string> = new Set()): string {
  if (error instanceof ApiError) return ofService(error, fields);
  if (error instanceof NetworkError) return error.message;
  if (error instanceof UnsendableParameter)
    return `There is no ${JSON.stringify(error.value)}. Check it, then try again.`;
  if (error instanceof Error && ["Refusal", "SignInProblem"].includes(error.name)) return error.message;
  if (error instanceof DOMException && error.name === "SecurityError")
    return "This browser blocks site data here, without which nobody can sign in. Allow cookies and site data for this page, then load it again.";
  console.error(error);
  return "Something is wrong with this page. Load it again; what you saved is safe.";
}
