import { expect, test } from "@jest/globals";
import { adviceFor } from "./job-advice.ts";

const encoded = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

const github = {
  iss: "https://token.actions.githubusercontent.com",
  repository: "ada/star-hopper",
  repository_id: "1",
  repository_owner_id: "2",
  event_name: "push",
  ref_protected: "true",
  workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@refs/heads/main",
  job_workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@refs/heads/main",
};

const gitlab = {
  iss: "https://gitlab.com",
  project_path: "ada/star-hopper",
  project_id: "1",
  namespace_id: "2",
  pipeline_source: "push",
  ref_protected: "true",
  ci_config_ref_uri: "gitlab.com/ada/star-hopper//.gitlab-ci.yml@refs/heads/main",
};

test.each([
  [
    "GitHub",
    github,
    "repository https://github.com/ada/star-hopper (number 1, owner 2), workflow file .github/workflows/publish.yml.",
  ],
  [
    "GitHub with data residency",
    { ...github, iss: "https://token.actions.acme.ghe.com" },
    "repository https://acme.ghe.com/ada/star-hopper (number 1, owner 2), workflow file .github/workflows/publish.yml.",
  ],
  ["GitLab", gitlab, "project https://gitlab.com/ada/star-hopper (number 1, group 2), pipeline file .gitlab-ci.yml."],
])("a job of %s gets the publisher that would match it", (_, claims, publisher) => {
  expect(adviceFor(encoded(claims), "game")).toBe(
    `Its owner can add this publisher in the dashboard, which svc open publishers --project game opens: ${publisher}`,
  );
});

test.each([
  [
    "GitHub, of the same repository too",
    { ...github, job_workflow_ref: "ada/star-hopper/.github/workflows/shared.yml@refs/heads/main" },
    /reusable workflow ada\/star-hopper\/\.github\/workflows\/shared\.yml, .* into \.github\/workflows\/publish\.yml,/,
  ],
  [
    "GitLab, of another project",
    { ...gitlab, ci_config_ref_uri: "gitlab.com/automation/shared//ci.yml@refs/heads/main" },
    /file is gitlab\.com\/automation\/shared\/\/ci\.yml, .* into a file of ada\/star-hopper itself\.$/,
  ],
])("a job written in another file of %s gets no publisher, but what to do", (_, claims, advice) => {
  const said = adviceFor(encoded(claims), "game");
  expect(said).toMatch(advice);
  expect(said).not.toContain("publisher in the dashboard");
});

test("a job of an event that is never trusted, and what is no token, get no publisher", () => {
  expect(adviceFor(encoded({ ...github, event_name: "pull_request_target" }), "game")).toBeUndefined();
  expect(adviceFor("no token", "game")).toBeUndefined();
});
