import { hash } from "node:crypto";
import { beforeEach, expect, test } from "@jest/globals";
import { startHttpServer } from "../../support/network/http-server.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { newProject } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { until } from "../until.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

/** The responses of the providers' own hosts to strangers, by path; all else is 404. */
const known: Record<string, unknown> = {
  "/repos/ada/star-hopper": { id: 512_345_678, full_name: "ada/star-hopper", owner: { login: "ada", id: 1_234_567 } },
  "/api/v4/projects/studio%2Fweb%2Fstar-hopper": { id: 46_573_356, namespace: { id: 68_413_579, kind: "group" } },
};

let asked: { readonly url: string; readonly authorization: string | undefined }[];

const providers = duringTests(() =>
  startHttpServer(({ url = "", headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    response.setHeader("access-control-allow-origin", "*").setHeader("content-type", "application/json");
    const body = known[url];
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? { message: "Not Found" }));
  }),
);

beforeEach(async () => {
  asked = [];
  await v.page.route(/^https:\/\/(api\.github|gitlab)\.com\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: providers.endpoint + pathname }) });
  });
});

/** Four pictures at a time, each examined, take a busy machine minutes. */
const longest = 300_000;

const dialog = () => v.page.getByRole("dialog");
const field = (name: string) => dialog().getByLabel(name, { exact: true });
const row = (text: string) =>
  v.page.getByRole("list", { name: "CI jobs that may publish" }).getByRole("listitem").filter({ hasText: text });
const publishersOf = async (slug: string) => (await v.ada.get(`/projects/${slug}/publishers`)).body.publishers;

async function openProject(): Promise<string> {
  const slug = await newProject(v.ada);
  await v.enter(`projects/${slug}/settings`);
  return slug;
}

/** The file that is shown once they are added. */
const fileShown = () => dialog().locator(".copy.lines code");
const done = () => dialog().getByRole("button", { name: "Done" }).click();

/** Opens the form and names the repository. */
async function addRepository(url: string, opens = "Add CI jobs"): Promise<void> {
  await v.button(opens).click();
  await field("URL of the repository").fill(url);
  await v.page.keyboard.press("Enter");
}

test(
  "CI jobs that may create a project are added on the Projects page with its address, listed and removed",
  async () => {
    await newProject(v.ada);
    await v.enter();
    await addRepository("https://github.com/ada/star-hopper", "Let CI jobs create a project");
    const address = field("Address");
    expect(await address.inputValue()).toBe("star-hopper");
    await address.fill("Star Hopper!");
    await field("Workflow file").fill("publish.yml");
    await dialog().getByRole("button", { name: "Let them create it" }).click();
    await dialog().getByText("This must be a path such as .github/workflows/publish.yml.").waitFor();
    expect(await address.getAttribute("aria-invalid")).toBe("true");
    expect(await lookAt(v.page, "pending-publisher-form", address)).toEqual([]);
    await address.fill("hopper-2");
    await field("Workflow file").fill(".github/workflows/publish.yml");
    await dialog().getByRole("button", { name: "Let them create it" }).click();
    expect(await fileShown().textContent()).toContain("svc publish dist --project hopper-2 --owner ada\n");
    await done();
    const list = v.page.getByRole("list", { name: "CI jobs that may create a project" });
    const pending = list.getByRole("listitem").filter({ hasText: "ada/star-hopper" });
    await pending.getByText("expires in 30 days").waitFor();
    await pending.getByText("The job must name you as the owner: ada").waitFor();
    expect((await v.ada.get("/publishers")).body.publishers).toMatchObject([
      { project: "hopper-2", publisher: { repository_id: "512345678", environment: "production" } },
    ]);
    await until(v.page, "document.activeElement.innerText", "Add CI jobs");
    expect(await lookAt(v.page, "pending-publishers", pending)).toEqual([]);

    await v.button("Workflow file of ada/star-hopper, hopper-2").click();
    await fileShown().waitFor();
    await done();
    await v.button("Remove ada/star-hopper, hopper-2").click();
    await dialog().getByText("cannot create hopper-2 any more").waitFor();
    await dialog().getByRole("button", { name: "Remove" }).click();
    await v.button("Let CI jobs create a project").waitFor();
    expect((await v.ada.get("/publishers")).body.publishers).toEqual([]);
  },
  longest,
);

test(
  "a public repository of GitHub is added from its URL, by the keyboard alone, and removed again",
  async () => {
    const slug = await openProject();
    await v.button("Add CI jobs").focus();
    await v.page.keyboard.press("Enter");
    await field("URL of the repository").fill("https://github.com/ada/star-hopper/tree/main");
    expect(await lookAt(v.page, "publisher-url")).toEqual([]);
    await v.page.keyboard.press("Enter");
    await dialog().getByText("GitHub told this page both numbers.").waitFor();
    expect(asked).toEqual([{ url: "/repos/ada/star-hopper", authorization: undefined }]);
    await until(v.page, "document.activeElement.value", "512345678");
    expect(await field("Number of its owner").inputValue()).toBe("1234567");
    expect(await lookAt(v.page, "publisher-form")).toEqual([]);
    await v.page.keyboard.press("Enter");
    await dialog().getByText(".github/workflows/publish.yml").waitFor();
    await dialog().getByText("This service runs on your machine, which no job of GitHub or GitLab reaches.").waitFor();
    const packed = Buffer.from(await (await fetch(`${v.service.api}/svc.tgz`)).arrayBuffer());
    const digest = hash("sha256", packed);
    const shown = String(await fileShown().textContent());
    for (const line of [
      `npm pack --silent "${v.service.dashboard}assets/svc-$SHA256.tgz"`,
      `SHA256: ${digest}`,
      `SVC_API: ${v.service.api}`,
      `svc publish dist --project ${slug} --owner ada\n`,
    ])
      expect(shown).toContain(line);
    expect(shown).not.toContain("svc.example");
    await field("Folder that the build makes").fill("build/../..; ls");
    await dialog().getByText("This must be the path of a folder").waitFor();
    expect(await fileShown().textContent()).toBe(shown);
    await field("Folder that the build makes").fill("build/web");
    expect(await fileShown().textContent()).toBe(
      shown.replaceAll("path: dist", "path: build/web").replace(" dist ", " build/web "),
    );
    await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await v.button("Copy the workflow file").click();
    expect(await v.page.evaluate("navigator.clipboard.readText()")).toBe(await fileShown().textContent());
    expect(await lookAt(v.page, "workflow-file")).toEqual([]);
    await done();
    await row("ada/star-hopper").waitFor();
    const [publisher, ...others] = await publishersOf(slug);
    expect(others).toEqual([]);
    expect(publisher).toMatchObject({
      provider: "github",
      issuer: "https://token.actions.githubusercontent.com",
      repository_id: "512345678",
      repository_owner_id: "1234567",
      workflow: ".github/workflows/publish.yml",
      environment: "production",
      events: ["push", "release", "workflow_dispatch"],
      ref_protected: false,
      repository: "ada/star-hopper",
    });
    await until(v.page, "document.activeElement.innerText", "Add CI jobs");
    expect(await lookAt(v.page, "publishers", row("ada/star-hopper"))).toEqual([]);

    await v.button("Workflow file of ada/star-hopper").click();
    expect(await fileShown().textContent()).toBe(shown);
    await done();
    await v.button("Remove ada/star-hopper").click();
    await dialog().getByText("Its jobs").waitFor();
    expect(await lookAt(v.page, "publisher-removal")).toEqual([]);
    await dialog().getByRole("button", { name: "Remove" }).click();
    await v.page.getByText("CI jobs that you name here").waitFor();
    expect(await publishersOf(slug)).toEqual([]);
  },
  longest,
);

test("a project of GitLab is added with the number of its group, from protected branches if no environment is named", async () => {
  const slug = await openProject();
  await addRepository("git@gitlab.com:studio/web/star-hopper.git");
  await dialog().getByText("GitLab told this page both numbers.").waitFor();
  const isProtected = dialog().getByLabel("Only from protected branches and tags");
  expect(await isProtected.isChecked()).toBe(false);
  await field("Environment (recommended)").fill("");
  expect(await isProtected.isChecked()).toBe(true);
  await dialog().getByRole("button", { name: "Let them publish" }).click();
  const shown = String(await fileShown().textContent());
  expect(shown).toContain(`aud: ${v.service.api}\n`);
  expect(shown).toContain(`- svc publish dist --project ${slug} --owner ada\n`);
  expect(shown).not.toMatch(/svc\.example|environment:|SVC_TOKEN/);
  await done();
  await row("studio/web/star-hopper").getByText("any environment or none").waitFor();
  expect(await publishersOf(slug)).toMatchObject([
    {
      provider: "gitlab",
      issuer: "https://gitlab.com",
      project_id: "46573356",
      namespace_id: "68413579",
      ci_config_path: ".gitlab-ci.yml",
      environment: null,
      ref_protected: true,
    },
  ]);
});

test(
  "for a private repository the person enters the numbers, which a command to copy prints",
  async () => {
    const slug = await openProject();
    await addRepository("https://github.com/ada/secret");
    await dialog().getByText("gh api repos/ada/secret --jq '.id, .owner.id'").waitFor();
    expect(await lookAt(v.page, "publisher-private")).toEqual([]);
    await field("Number of the repository").fill("ada/secret");
    await field("Number of its owner").fill("7");
    await field("Workflow file").fill("publish.yml");
    await dialog().getByRole("button", { name: "Let them publish" }).click();
    await dialog().getByText("This must be a number in digits.").waitFor();
    await dialog().getByText("This must be a path such as .github/workflows/publish.yml.").waitFor();
    expect(await field("Number of the repository").getAttribute("aria-invalid")).toBe("true");
    expect(await publishersOf(slug)).toEqual([]);
    await field("Number of the repository").fill("99");
    await field("Workflow file").fill(".github/workflows/release.yml");
    await dialog().getByLabel("A schedule (schedule)").check();
    await dialog().getByLabel("A push (push)").uncheck();
    await dialog().getByRole("button", { name: "Let them publish" }).click();
    await fileShown().waitFor();
    await done();
    await row("ada/secret").getByText("repository 99, owner 7").waitFor();
    const [{ events, workflow }] = await publishersOf(slug);
    expect({ events, workflow }).toEqual({
      events: ["release", "schedule", "workflow_dispatch"],
      workflow: ".github/workflows/release.yml",
    });
  },
  longest,
);

test("while a repository is looked up, nothing is said of the URL before it", async () => {
  await openProject();
  const looked = Promise.withResolvers<void>();
  await v.page.route("https://api.github.com/**", async (route) => {
    await looked.promise;
    await route.fallback();
  });
  await addRepository("https://nowhere.example/ada/star-hopper");
  const unknown = dialog().getByText("This is no repository’s URL of GitHub");
  await unknown.waitFor();
  await field("URL of the repository").fill("https://github.com/ada/star-hopper");
  await v.page.keyboard.press("Enter");
  await dialog().getByRole("button", { name: "Looking it up…" }).waitFor();
  expect(await unknown.count()).toBe(0);
  looked.resolve();
  await dialog().getByText("GitHub told this page both numbers.").waitFor();
});

test("who lets jobs open previews is led to the workflow of previews, and an admin's file names the owner", async () => {
  const grace = await actorsOf(v.service).developer({ name: "Grace Hopper" });
  const slug = await newProject(grace);
  await addMember(grace, slug, v.ada, "admin");
  const jobs = { provider: "gitlab", project_id: "1", namespace_id: "1" };
  await grace.post(`/projects/${slug}/publishers`, { ...jobs, repository: "grace/game" });
  await v.enter(`projects/${slug}/settings`);
  await v.button("Workflow file of grace/game").click();
  expect(await fileShown().textContent()).toContain(`--project ${slug} --owner ${grace.uid}\n`);
  await done();
  await addRepository("https://github.com/ada/star-hopper");
  await dialog().getByRole("radio", { name: "Only open previews, for pull requests" }).check();
  await dialog().getByRole("button", { name: "Let them open previews" }).click();
  const link = dialog().getByRole("link", { name: "The workflow file of previews" });
  expect(await link.getAttribute("href")).toBe("/help/github-actions.html#a-preview-for-each-pull-request");
  expect(await fileShown().count()).toBe(0);
  const [page] = await Promise.all([v.context.waitForEvent("page"), link.click()]);
  await page.getByRole("heading", { name: "A preview for each pull request" }).waitFor();
  // Ada's other tests look at the list of her projects.
  expect((await v.ada.delete(`/projects/${slug}/members/me`)).status).toBe(200);
});

test(
  "after all tokens are revoked, the CI jobs that can still publish are listed, and each can be removed",
  async () => {
    const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
    const jobs = (id: string) => ({
      provider: "gitlab",
      project_id: id,
      namespace_id: "1",
      repository: `grace/game-${id}`,
    });
    const slug = await newProject(grace);
    expect((await grace.post(`/projects/${slug}/publishers`, jobs("1"))).status).toBe(200);
    expect((await grace.post("/publishers", { project: "later-game", publisher: jobs("2") })).status).toBe(200);
    const token = await grace.token({ name: "build server" });
    await v.enter("tokens", { name: "Grace Hopper" });
    await v.button("Revoke all tokens").click();
    await dialog().getByRole("button", { name: "Revoke all" }).click();
    await dialog().getByRole("heading", { name: "CI jobs that can still publish" }).waitFor();
    await dialog().getByText("1 token revoked.").waitFor();
    expect((await token.get("/me")).status).toBe(401);
    expect(await lookAt(v.page, "revoked-all")).toEqual([]);

    const remaining = (text: string) => dialog().getByRole("listitem").filter({ hasText: text });
    const remove = async (repository: string, of: string) => {
      await v.button(`Remove ${repository}, ${of}`).click();
      await dialog().getByRole("button", { name: "Remove", exact: true }).click();
      await remaining(repository).getByText("Removed").waitFor();
    };
    await remove("grace/game-2", "later-game");
    await until(v.page, "document.activeElement.innerText.includes('grace/game-2')");
    expect((await grace.get("/publishers")).body.publishers).toEqual([]);
    expect((await grace.get(`/projects/${slug}/publishers`)).body.publishers).toHaveLength(1);
    await remove("grace/game-1", slug);
    await dialog().getByText("Removed", { exact: true }).nth(1).waitFor();
    expect((await grace.get(`/projects/${slug}/publishers`)).body.publishers).toEqual([]);
    await v.button("Done").click();
    await dialog().waitFor({ state: "detached" });
  },
  longest,
);

test("who removes a member removes or keeps the CI jobs that this person added", async () => {
  const slug = await newProject(v.ada);
  const numbers = { provider: "github", repository_owner_id: "1234567", workflow: ".github/workflows/publish.yml" };
  for (const [id, name] of ["Grace Hopper", "Mary Jackson"].entries()) {
    const member = await actorsOf(v.service).developer({ name });
    await addMember(v.ada, slug, member, "admin");
    await member.post(`/projects/${slug}/publishers`, {
      ...numbers,
      repository_id: `${id + 1}`,
      repository: `of/${id}`,
    });
  }
  await v.enter(`projects/${slug}/settings`);
  await row("of/0").getByText("added by Grace Hopper").waitFor();
  await v.button("Remove Grace Hopper").click();
  await dialog().getByText("CI jobs of theirs").waitFor();
  expect(await dialog().getByText("of/1").count()).toBe(0);
  await dialog().getByText("of/0").waitFor();
  const box = dialog().getByRole("checkbox", { name: "Remove the CI jobs that they added" });
  expect(await box.isChecked()).toBe(true);
  expect(await lookAt(v.page, "remove-member-with-jobs")).toEqual([]);
  await dialog().getByRole("button", { name: "Remove", exact: true }).click();
  await row("of/0").waitFor({ state: "detached" });
  await v.button("Remove Mary Jackson").click();
  await box.uncheck();
  await dialog().getByRole("button", { name: "Remove", exact: true }).click();
  await row("of/1").getByText("added by Mary Jackson, who is not a member any more").waitFor();
  const left = (await publishersOf(slug)).map(({ repository }: { repository: string }) => repository);
  expect(left).toEqual(["of/1"]);
});
