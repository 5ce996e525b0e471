import { expect, test } from "@jest/globals";
import { publisherLine } from "./publisher-lines.ts";

type Publisher = Parameters<typeof publisherLine>[0];

const ada = { uid: "ada", name: "Ada", display_name: "Ada L.", role: "owner" };
const both = {
  id: "p",
  added_by: ada,
  environment: null,
  ref_protected: false,
  only_latest_run: false,
  repository: null,
} as const;
const github = {
  ...{ ...both, provider: "github", issuer: "https://token.actions.githubusercontent.com", may: "publish" },
  ...{ repository_id: "12", repository_owner_id: "34", workflow: ".github/workflows/publish.yml", events: ["push"] },
};
const gitlab = {
  ...{ ...both, provider: "gitlab", issuer: "https://gitlab.com", may: "publish" },
  ...{ project_id: "56", namespace_id: "78", ci_config_path: ".gitlab-ci.yml" },
};

test.each<[string, object, object]>([
  ["github repository (12), .github/workflows/publish.yml started by push", github, {}],
  ["gitlab repository (56), .gitlab-ci.yml", gitlab, {}],
  [
    "github ada/game (12), .github/workflows/publish.yml started by push, release",
    github,
    { repository: "ada/game", events: ["push", "release"] },
  ],
  ["gitlab ada/game (56), .gitlab-ci.yml", gitlab, { repository: "ada/game" }],
  ["gitlab repository (56), .gitlab-ci.yml, in the environment live", gitlab, { environment: "live" }],
  ["gitlab repository (56), .gitlab-ci.yml, never over a later run", gitlab, { only_latest_run: true }],
  ["gitlab repository (56), .gitlab-ci.yml, protected branches and tags alone", gitlab, { ref_protected: true }],
  ["gitlab repository (56), .gitlab-ci.yml, previews alone", gitlab, { may: "preview" }],
  [
    "gitlab repository (56), .gitlab-ci.yml, added by Ada, who is not a member any more",
    gitlab,
    { added_by: { ...ada, display_name: null, role: null } },
  ],
  ["gitlab repository (56), .gitlab-ci.yml, added by unknown", gitlab, { added_by: null }],
])("a publisher is listed as %s", (line, publisher, fields) => {
  expect(publisherLine({ ...publisher, ...fields } as Publisher)).toBe(
    line.includes(", added by ") ? line : `${line}, added by Ada L.`,
  );
});
