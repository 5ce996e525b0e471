import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { type ErrorCode, errors } from "../../contract/api/errors.ts";
import { errorCodes } from "../../contract/api/route-errors.ts";
import { ApiError } from "../../contract/api-error.ts";
import { messageOf } from "../../dashboard/src/messages.ts";
import { type RouteName, routes } from "../support/routes.ts";

/** Words that only the author of a program for the API understands. */
const forPrograms = /\b(GET|POST|PATCH|DELETE) \/|[a-z]_[a-z]|schema|header|JSON|\bID token\b|request body|`/;

test.each(Object.entries(errors))("a person who meets %s is not sent to the API", (code, { detail }) => {
  expect(messageOf(new ApiError({ code: code as keyof typeof errors, detail }))).not.toMatch(forPrograms);
});

/** The page's own sources, those of the publisher and of options. */
const sources = globSync(["{dashboard/src,publisher}/**/*.{ts,tsx}", "options/*/dashboard/*.{ts,tsx}"]);

/** The routes that the page calls. */
function calledRoutes(): RouteName[] {
  const texts = sources.map((path) => readFileSync(path, "utf8"));
  return (Object.keys(routes) as RouteName[]).filter((name) => {
    const { method, path } = routes[name];
    return texts.some((text) => text.includes(`"${method} ${path}"`));
  });
}

/**
 * Errors of requests that no version of the page sends: without an ID token, with a token, or with another form; and of packs, whose files are
 * sent one by one then.
 */
const neverOfThePage: readonly ErrorCode[] = [
  "malformed_json",
  "unsupported_media_type",
  "invalid_parameters",
  "credential_missing",
  "credential_malformed",
  "token_invalid",
  "token_revoked",
  "token_expired",
  "insufficient_scope",
  "token_refused",
  "tokens_refused",
  "later_run_live",
  "pack_refused",
  "person_required",
  "preview_of_another",
  "project_not_in_token",
  "idempotency_key_invalid",
  "idempotency_key_reused",
];

test("every other error of the routes that the page calls has a sentence", () => {
  const called = calledRoutes();
  expect(called).toContain("createRelease");
  const codes = new Set(called.flatMap((name) => errorCodes(routes[name])));
  const silent = [...codes].filter((code) =>
    messageOf(new ApiError({ code, detail: errors[code].detail })).startsWith("The service does not understand"),
  );
  expect(silent.toSorted()).toEqual(neverOfThePage.toSorted());
});

test.each([
  ["/name", "Something in the form is not right. Correct the marked fields."],
  ["/scopes/0", "Something in the form is not right. Correct the marked fields."],
  ["/names", "The service refuses this: names must not be empty."],
  ["/code_challenge", "The service refuses this: code_challenge must not be empty."],
])("an error at %s is in the sentence unless a field of the form shows it", (pointer, sentence) => {
  const places = [{ pointer, detail: "must not be empty" }];
  const error = new ApiError({ code: "validation_failed", detail: "", places });
  expect(messageOf(error, new Set(["/name", "/scopes"]))).toBe(sentence);
});
