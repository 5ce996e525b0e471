import { expect, test } from "@jest/globals";
import { errorOf } from "../../../contract/api-error.ts";
import { asUserError } from "./problem.ts";

test.each([
  [400, "invalid_parameters", 1],
  [401, "token_expired", 4],
  [403, "insufficient_scope", 4],
  [404, "project_not_found", 1],
  [409, "slug_taken", 6],
  [412, "current_release_changed", 6],
  [412, "changed_meanwhile", 6],
  [422, "validation_failed", 2],
  [429, "too_many_requests", 1],
  [500, "internal_error", 1],
  [503, "temporarily_unavailable", 1],
])("%i %s ends a command with exit code %i", (status, code, exitCode) => {
  const response = { status, header: () => undefined, body: JSON.stringify({ code, detail: "Why." }) };
  expect(asUserError(errorOf(response, new URL("https://api.example.com")))).toMatchObject({ code, exitCode });
});
