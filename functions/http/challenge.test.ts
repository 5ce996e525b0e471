import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { ErrorCode } from "../../contract/api/errors.ts";
import { createProject } from "../../contract/api/projects/projects.ts";
import { ServiceError } from "../domain/service-error.ts";
import { problemWithChallenge } from "./challenge.ts";

const invalid = 'error="invalid_request", ';

test("a sign-in of a certain authentication context is asked for by acr_values", () => {
  const event = { headers: { authorization: "Bearer x", host: "api.example" }, requestContext: { requestId: "r1" } };
  const failure = new ServiceError("recent_sign_in_required", { signInSeconds: 900, acrValues: ["phr", "urn:a:b"] });
  const { headers } = problemWithChallenge(createProject, failure, event as unknown as APIGatewayProxyEventV2);
  expect(headers?.["www-authenticate"]).toContain(
    'error="insufficient_user_authentication", max_age="900", acr_values="phr urn:a:b", resource_metadata=',
  );
});

test.each<[ErrorCode, string | undefined, string | undefined]>([
  ["credential_missing", undefined, ""],
  ["credential_malformed", "Bearer", invalid],
  ["credential_malformed", "bEARER a b", invalid],
  ["credential_malformed", "Basic bearer", ""],
  ["credential_malformed", "Bearers x", ""],
  ["token_invalid", "Bearer x", 'error="invalid_token", '],
  ["insufficient_scope", "Bearer x", 'error="insufficient_scope", scope="projects", '],
  ["recent_sign_in_required", "Bearer x", 'error="insufficient_user_authentication", max_age="600", '],
  ["developer_required", "Bearer x", undefined],
  ["project_not_found", "Bearer x", undefined],
])("%s of a request with the credential %s has the challenge %s", (code, authorization, error) => {
  const event = { headers: { authorization, host: "api.example" }, requestContext: { requestId: "r1" } };
  const failure = new ServiceError(code, { signInSeconds: 600 });
  const { headers } = problemWithChallenge(createProject, failure, event as unknown as APIGatewayProxyEventV2);
  const metadata = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource"';
  expect(headers?.["www-authenticate"]).toBe(
    error === undefined ? undefined : `Bearer realm="svc", ${error}${metadata}`,
  );
  expect(headers).toMatchObject({ "content-type": "application/problem+json" });
});
