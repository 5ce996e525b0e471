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

/** What svc says of a response of something that is not the API. */
function told(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = { status, header: (name: string) => headers[name], body };
  return asUserError(errorOf(response, new URL("https://api.example.com")));
}

test.each([
  [403, "Forbidden", "refused the request before it reached the API", /^Check the API URL/],
  [404, "Not Found", "has no such route", /^Check the API URL/],
  [413, "Request Too Long", "refuses a request of this size", /^Publish fewer files/],
  [429, "Too Many Requests", "gets too many requests at the moment", /^Try again in a minute/],
  [500, "Internal Server Error", "failed", /^Try again; /],
  [503, "Service Unavailable", "got no response from its functions in time", /^Try again in a minute/],
])("%i of API Gateway itself, %s: it %s", (status, message, sentence, next) => {
  expect(told(status, JSON.stringify({ message }))).toMatchObject({
    ...{ code: "gateway", exitCode: 1, status },
    ...{ message: `https://api.example.com ${sentence} (${status} ${message}).`, next: expect.stringMatching(next) },
  });
});

test.each([
  ["3600", "Try again after 3600 seconds."],
  ["Fri, 31 Dec 2126 23:59:59 GMT", "Try again after Fri, 31 Dec 2126 23:59:59 GMT."],
])("a refusal with Retry-After %s says when to try again", (after, next) => {
  const body = JSON.stringify({ code: "temporarily_unavailable", detail: "Busy." });
  expect(told(503, body, { "retry-after": after })).toMatchObject({ next });
});

test.each([
  [200, "text/html; charset=utf-8", "<p>Log in</p>", "200 and text/html"],
  [403, "text/html", "<h1>No</h1>", "403 and text/html"],
  [502, "application/json", '{"hello":"world"}', "502 and application/json"],
])("%i with %s is no response of the API", (status, type, body, what) => {
  expect(told(status, body, { "content-type": type })).toMatchObject({
    code: "unexpected_response",
    message: `https://api.example.com responded with ${what}, which is not a response of the svc API.`,
  });
});
