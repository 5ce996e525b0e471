import { expect, test } from "@jest/globals";
import { actorsOf, type Developer } from "../support/service/actors.ts";
import { addMember } from "../support/service/operations.ts";
import { usePublishingUser } from "../support/service/publishing-user.ts";
import { newProject } from "../support/service/steps.ts";

const user = usePublishingUser();
const { service } = user;
const minute = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;

/** Somebody whom the owner of the project has invited by a link, and who has accepted. */
async function member(role: "admin" | "publisher", name = "Grace Hopper") {
  const person = await actorsOf(service).developer({ name });
  const { body } = await user.developer.post(`/projects/${user.slug}/invitations`, { role });
  const accepted = await person.post(`/projects/${user.slug}/invitations/${body.id}/acceptance`, {
    secret: body.secret,
  });
  expect(accepted).toMatchObject({ status: 200, body: { role } });
  return await withToken(person);
}

async function withToken(person: Developer, scopes = ["publish", "projects"]) {
  const { credential } = await person.token({ scopes });
  const env = { SVC_API: service.api, SVC_TOKEN: credential };
  return { person, env, svc: (...args: string[]) => user.person.run(args, { env }) };
}

test("svc members lists the people with their roles, and the open invitations to those who can withdraw them", async () => {
  const { person, svc } = await member("publisher");
  expect((await person.patch("/me", { display_name: "Amazing Grace" })).status).toBe(200);
  const invited = await actorsOf(service).developer();
  await user.developer.post(`/projects/${user.slug}/invitations`, { role: "admin", to: invited.uid });
  await user.developer.post(`/projects/${user.slug}/invitations`, { role: "publisher" });
  const seen = await user.svc(["members", "-p", user.slug]);
  expect({ code: seen.code, stderr: seen.stderr }).toEqual({ code: 0, stderr: "" });
  const [heading, owner, grace, ...open] = seen.stdout.trimEnd().split("\n");
  expect(heading).toMatch(/^ROLE +SINCE \(UTC\) +NAME +USER ID$/);
  expect(owner).toMatch(new RegExp(`^owner +${minute}  Ada Lovelace +${user.developer.uid}$`));
  expect(grace).toMatch(new RegExp(`^publisher +${minute}  Amazing Grace +${person.uid}$`));
  expect(open.filter((_, index) => index % 2 === 0).toSorted()).toEqual([
    expect.stringMatching(new RegExp(`^admin +invited +${invited.uid}$`)),
    expect.stringMatching(/^publisher +invited +whoever has the link$/),
  ]);
  expect(open[1]).toMatch(new RegExp(`^  invited by Ada Lovelace, expires ${minute}$`));
  const [whole, theirs] = [
    (await user.svc(["members", "-p", user.slug, "--json"])).json,
    await svc("members", "-p", user.slug, "--json"),
  ];
  const { members, invitations } = (await user.developer.get(`/projects/${user.slug}/members`)).body;
  expect(whole).toEqual({ project: user.slug, members, invitations: expect.arrayContaining(invitations) });
  expect(theirs.json).toEqual({ ...whole, invitations: [] });
});

test("a member publishes and sees the role, an admin's command is refused to a publisher, and whoever leaves sees nothing of it any more", async () => {
  const { person, env, svc } = await member("publisher");
  user.write({ "index.html": "by Grace" });
  const published = await user.svc(["publish", "game", "-p", user.slug], { env });
  expect({ code: published.code, stderr: published.stderr }).toEqual({ code: 0, stderr: "" });
  expect((await svc("projects", "list")).stdout).toMatch(new RegExp(`^${user.slug} +publisher +${minute} `, "m"));
  const edited = await svc("projects", "edit", user.slug, "--name", "Grace's");
  expect(edited.code).toBe(4);
  expect(edited.stderr).toMatch(/\n {2}project_role_required · status 403 .*\n {2}next: svc members shows /);
  expect((await person.delete(`/projects/${user.slug}/members/me`)).status).toBe(200);
  for (const words of ["members -p SLUG", "releases -p SLUG"])
    expect(await svc(...words.replace("SLUG", user.slug).split(" "), "--json")).toMatchObject({
      code: 1,
      json: { error: { code: "project_not_found" } },
    });
  expect((await svc("projects", "list", "--json")).json).toEqual({ projects: [], deleted: [] });
});

test("svc history says who did what in the dashboard's words, newest first, with the response as JSON", async () => {
  const { person, env, svc } = await member("publisher");
  user.write({ "index.html": "by Grace" });
  const { code } = await user.svc(["publish", "game", "-p", user.slug], { env });
  expect(code).toBe(0);
  await user.developer.patch(`/projects/${user.slug}`, { name: "New" });
  const seen = await svc("history", "-p", user.slug, "-l", "3");
  expect({ code: seen.code, stderr: seen.stderr }).toEqual({ code: 0, stderr: "" });
  const lines = seen.stdout.trimEnd().split("\n");
  const id = String.raw`\w{22}`;
  expect(lines[0]).toBe("WHEN (UTC)        WHAT HAPPENED");
  for (const [index, line] of [
    `${minute}  Project edited`,
    "  by Ada Lovelace",
    `${minute}  Release published: #1`,
    `  by Grace Hopper, token \\S.*, release ${id}`,
    `${minute}  Became a member of a project · Grace Hopper as publisher`,
    "  by Grace Hopper",
  ].entries())
    expect(lines[index + 1]).toMatch(new RegExp(`^${line}$`));
  expect(lines.length).toBe(7);
  const { events } = (await person.get(`/projects/${user.slug}/events?limit=3`)).body;
  const { json, stdout } = await svc("history", "-p", user.slug, "-l", "3", "--json");
  expect(json).toEqual({ project: user.slug, events });
  expect(stdout).not.toContain(person.email);
});

test("what no project can have as a slug is refused", async () => {
  const { code, json } = await user.svc(["members", "-p", "..", "--json"]);
  expect({ code, error: json.error }).toMatchObject({ code: 2, error: { code: "invalid_slug" } });
});

test("svc members --all lists the people of all own projects, who joins each new one, and the open invitations to several", async () => {
  const { person: developer, svc } = await withToken(await actorsOf(service).developer());
  const slug = await newProject(developer);
  const grace = await actorsOf(service).developer({ name: "Grace Hopper" });
  const other = await newProject(developer);
  const nobody = await svc("members", "--all");
  expect(nobody.stdout).toBe("Nobody but you works on your projects. svc open people invites somebody.\n");
  await addMember(developer, slug, grace, "publisher", { projects: [other], future: true });
  await developer.post(`/projects/${slug}/invitations`, { role: "viewer", projects: [other], future: true });
  const { code, stdout } = await svc("members", "--all");
  expect(code).toBe(0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));
  expect(lines[0]).toEqual(["ROLE", "PROJECT", "NAME", "USER ID"]);
  expect(lines.slice(1, 4).toSorted()).toEqual(
    [slug, other, "(each new one)"].map((place) => ["publisher", place, "Grace Hopper", grace.uid]).toSorted(),
  );
  expect(lines[4]).toEqual(["viewer", "invited", "whoever has the link"]);
  expect(lines[5]?.[0]).toMatch(new RegExp(`^invited to ${slug}, ${other}, each new one, expires ${minute}$`));
  expect((await svc("members", "--all", "--json")).json).toEqual((await developer.get("/team")).body);
  expect((await svc("members", "--all", "-p", slug)).code).toBe(2);
});
