import { ApiError } from "./api.ts";

/** What to do about errors whose own sentence is for programs that call the API. */
const onThisPage: Partial<Record<ApiError["code"], string>> = {
  token_limit_reached:
    "You have 50 active tokens, the most that an account can have. Revoke one that is not used any more.",
  developer_required: "Only developers can do this. Become one on the Projects page.",
  token_not_found: "This token does not exist any more. Load the page again.",
  project_not_found: "You have no project with this name. Choose one on the Projects page.",
  current_release_changed: "Somebody published another release in the meantime. Look at it below, then decide again.",
  device_request_not_found:
    "No machine waits for this code. Check it; after ten minutes, run svc login --device again for a new one.",
  too_many_guesses: "Too many codes in ten minutes. Wait ten minutes, then try again.",
  recent_sign_in_required: "This needs you to sign in again. Try it once more, and sign in when you are asked to.",
  token_not_active: "This token does not work any more, so it cannot be replaced. Create a new one.",
  transfer_not_found:
    "Nobody offers you this project. Maybe the offer has ended or was withdrawn: ask its owner for a new one.",
  user_not_found: "Nobody has this user ID. Ask them to copy it from their Account page.",
  projects_left: "You have projects. Delete each or hand it over, then delete the account.",
  project_limit_reached: "You have 50 projects, the most that an account can have. Delete one or hand it over.",
  project_deleted: "This project is deleted. Restore it on the Projects page.",
  project_suspended: "The operator has suspended this project, so it cannot be changed. Ask the operator.",
  validation_failed: "Something in the form is not right. Correct the marked fields.",
  invalid_cursor: "The list has changed. Load the page again.",
};

/** One sentence about what went wrong that says what to do. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return onThisPage[error.code] ?? error.message;
  if (error instanceof Error && error.name === "SignInProblem") return error.message;
  console.error(error);
  return "Something is wrong with this page. Load it again; what you saved is safe.";
}
