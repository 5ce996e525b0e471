import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { commandOf, numbersOf, pagesOf, repositoryOf } from "./repository.ts";

const acme = "https://token.actions.acme.ghe.com";
const stage = {
  jobIssuers: { github: ["https://ghe.example/_services/token", acme], gitlab: ["https://git.example:8443"] },
};

describe("a repository's URL", () => {
  test.each([
    "https://github.com/ada/star-hopper",
    "https://www.GitHub.com/ada/star-hopper/",
    "https://github.com/ada/star-hopper.git/",
    " github.com/ada/star-hopper.git ",
    "https://github.com/ada/star-hopper/tree/main/src?tab=readme#top",
    "https://ada:secret@github.com/ada/star-hopper.git",
    "git@github.com:ada/star-hopper.git",
    "ssh://git@github.com:22/ada/star-hopper.git",
  ])("of GitHub is read from %s", (text) => {
    expect(repositoryOf(text, stage)).toEqual({ provider: "github", path: "ada/star-hopper" });
  });

  test.each([
    "https://gitlab.com/group/sub.group/star_hopper",
    "https://gitlab.com/group/sub.group/star_hopper/-/tree/main",
    "git@gitlab.com:group/sub.group/star_hopper.git",
  ])("of GitLab is read with every group from %s", (text) => {
    expect(repositoryOf(text, stage)).toEqual({ provider: "gitlab", path: "group/sub.group/star_hopper" });
  });

  test("of a host that the stage trusts has that host's issuer", () => {
    const own = repositoryOf("https://git.example:8443/team/game", stage);
    expect(own).toEqual({ provider: "gitlab", path: "team/game", issuer: "https://git.example:8443" });
    const enterprise = repositoryOf("https://ghe.example/team/game", stage);
    expect(enterprise).toMatchObject({ provider: "github", issuer: "https://ghe.example/_services/token" });
    expect(repositoryOf("https://acme.ghe.com/team/game", stage)).toMatchObject({ provider: "github", issuer: acme });
  });

  test.each([
    "",
    "ada/star-hopper",
    "https://github.com/ada",
    "https://github.com.attacker.example/ada/star-hopper",
    "https://attacker.example/github.com/ada/star-hopper",
    "https://github.com/ada/star-hopper;id",
    "https://github.com/$(id)/star-hopper",
    "https://gitlab.com/group",
    "https://constructor/ada/star-hopper",
  ])("is not read from %j", (text) => {
    expect(repositoryOf(text, stage)).toBeUndefined();
  });
});

test.each([
  ["https://github.com/ada/game", "gh api repos/ada/game --jq '.id, .owner.id'"],
  ["https://ghe.example/ada/game", "gh api --hostname ghe.example repos/ada/game --jq '.id, .owner.id'"],
  ["https://acme.ghe.com/ada/game", "gh api --hostname acme.ghe.com repos/ada/game --jq '.id, .owner.id'"],
  ["https://gitlab.com/a/b/game", "glab api projects/a%2Fb%2Fgame | jq '.id, .namespace.id'"],
])("the numbers of %s are printed by a command", (url, command) => {
  const repository = repositoryOf(url, stage);
  expect(repository && commandOf(repository)).toBe(command);
});

describe("the numbers of a repository", () => {
  afterEach(() => void jest.restoreAllMocks());

  /** The requests to a provider that responds so, and what is read of its response. */
  async function asked(url: string, response: Response | Error) {
    const fetched = jest.spyOn(globalThis, "fetch").mockImplementation(async () => {
      if (response instanceof Error) throw response;
      return response;
    });
    const repository = repositoryOf(url, stage);
    const numbers = repository && (await numbersOf(repository));
    return { numbers, asked: fetched.mock.calls.map(([to, options]) => [to, options?.credentials]) };
  }

  test.each([
    [
      "https://github.com/ada/game",
      { id: 1, owner: { id: 2 }, namespace: { id: 3 } },
      "https://api.github.com/repos/ada/game",
      { repository: "1", owner: "2" },
    ],
    [
      "https://gitlab.com/a/b/game",
      { id: 1, owner: { id: 2 }, namespace: { id: 3 } },
      "https://gitlab.com/api/v4/projects/a%2Fb%2Fgame",
      { repository: "1", owner: "3" },
    ],
  ])("%s are asked of its host, without a credential", async (url, body, question, numbers) => {
    expect(await asked(url, Response.json(body))).toEqual({ numbers, asked: [[question, "omit"]] });
  });

  test.each([
    ["does not know it", Response.json({ id: 1, owner: { id: 2 } }, { status: 404 })],
    ["cannot be reached", new TypeError("lost")],
    ["says no JSON", new Response("<html>")],
    ["says no number", Response.json({ id: 0, owner: { id: 2 } })],
    ["says no owner", Response.json({ id: 1 })],
  ])("are not known if its host %s", async (_, response) => {
    expect((await asked("https://github.com/ada/game", response)).numbers).toBeUndefined();
  });

  test("at a host of one's own are not asked", async () => {
    expect(await asked("https://ghe.example/ada/game", Response.json({ id: 1, owner: { id: 2 } }))).toEqual({
      numbers: undefined,
      asked: [],
    });
  });
});

describe("the pages of a run and its commit", () => {
  const run = {
    provider: "github",
    repository: "ada/star-hopper",
    repository_id: "1",
    commit: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
    ref: "refs/heads/main",
    workflow: ".github/workflows/publish.yml",
    actor: "ada",
    run_url: "https://github.com/ada/star-hopper/actions/runs/7",
  } as const;

  test("are on the host of the provider, or on one that the stage trusts", () => {
    expect(pagesOf(run, {})).toEqual({
      run: run.run_url,
      commit: "https://github.com/ada/star-hopper/commit/4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
    });
    const gitlab = { ...run, provider: "gitlab", run_url: "https://gitlab.com/ada/star-hopper/-/jobs/7" } as const;
    expect(pagesOf(gitlab, {})?.commit).toMatch("https://gitlab.com/ada/star-hopper/-/commit/4f2a9c0");
    const own = { ...run, run_url: "https://ghe.example/ada/star-hopper/actions/runs/7" };
    expect(pagesOf(own, stage)?.commit).toMatch("https://ghe.example/ada/star-hopper/commit/");
    const resident = { ...run, run_url: "https://acme.ghe.com/ada/star-hopper/actions/runs/7" };
    expect(pagesOf(resident, stage)?.commit).toMatch("https://acme.ghe.com/ada/star-hopper/commit/");
  });

  test.each([
    ["another host", { run_url: "https://github.com.attacker.example/ada/star-hopper/actions/runs/7" }],
    ["another host with the name before it", { run_url: "https://github.com@attacker.example/ada/star-hopper/1" }],
    ["a script", { run_url: "javascript:alert(1)//https://github.com/ada/star-hopper/" }],
    ["the host of the other provider", { provider: "gitlab" }],
    ["another repository", { repository: "ada/other" }],
    ["a repository that leaves its path", { repository: "..", run_url: "https://github.com/../actions/runs/7" }],
    ["a commit that is none", { commit: "../../attacker" }],
  ] as const)("are not linked for %s", (_, changes) => {
    expect(pagesOf({ ...run, ...changes }, stage)).toBeUndefined();
  });
});
