import { createHash, randomInt, randomUUID } from "node:crypto";
import { oauthClientId } from "../../../contract/api/login/authorization-request.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { optionOperations } from "../option-lists.ts";
import { type RouteName, routes } from "../routes.ts";
import type { Developer, Person } from "./actors.ts";
import { contentOf, newPack } from "./packs.ts";
import {
  type Folder,
  manifestOf,
  minutesAhead,
  newProject,
  newSlug,
  openRelease,
  publish,
  sha256,
  upload,
} from "./steps.ts";

/** A request to one route. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON; URLSearchParams as a form. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The content type and the text of an operation's body. */
export function encodedBody(body: unknown): { readonly type: string; readonly text: string } {
  if (body instanceof URLSearchParams) return { type: "application/x-www-form-urlencoded", text: body.toString() };
  return { type: "application/json", text: JSON.stringify(body) };
}

/** A developer with a project. */
export interface Owner extends Developer {
  readonly slug: string;
}

/** Gives a developer a new project. */
export async function withProject<D extends Developer>(developer: D): Promise<D & Owner> {
  return { ...developer, slug: await newProject(developer) };
}

const verifier = "v".repeat(43);
const settings = { name: "laptop", scopes: ["publish"] };

/** A developer's approval of a command line that waits on this machine. */
const approval = {
  client_id: oauthClientId,
  redirect_uri: "http://127.0.0.1:9/",
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
  ...settings,
};

const emptyForm = new URLSearchParams();

/** The code that a machine shows which waits. */
async function newUserCode(caller: Person): Promise<string> {
  // In place of the caller's credential, which is none of a client.
  const headers = { authorization: `Basic ${btoa(`${oauthClientId}:`)}`, "content-type": encodedBody(emptyForm).type };
  const { body } = await caller.send("POST", "/oauth/device_authorization", { headers, body: "" });
  return body.user_code;
}

/**
 * Requests of each route that succeed for the owner of the project, each time with an effect of its own. Suites that go through all routes
 * take them from here, so that a new route is in all of them.
 */
export const operations: Record<RouteName, (owner: Owner) => Promise<Operation>> = {
  getAuthorizationServer: async () => to("getAuthorizationServer"),
  getProtectedResource: async () => to("getProtectedResource"),
  revokeTokenByForm: async (owner) => {
    const { credential } = await owner.token();
    return to("revokeTokenByForm", {}, new URLSearchParams({ client_id: oauthClientId, token: credential }));
  },
  requestDeviceCode: async () => to("requestDeviceCode", {}, new URLSearchParams({ client_id: oauthClientId })),
  exchangeGrant: async (owner) => {
    const { body } = await must(owner, "POST", "/oauth/approvals", { ...approval, projects: [owner.slug] });
    const code = new URL(body.redirect_to).searchParams.get("code") ?? "";
    const { client_id, redirect_uri } = approval;
    const form = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier };
    return to("exchangeGrant", {}, new URLSearchParams(form));
  },
  approveAuthorization: async () => to("approveAuthorization", {}, approval),
  getDeviceRequest: async (owner) => to("getDeviceRequest", { user_code: await newUserCode(owner) }),
  answerDeviceRequest: async (owner) =>
    to("answerDeviceRequest", { user_code: await newUserCode(owner) }, { decision: "approve", ...settings }),
  getRoot: async () => to("getRoot"),
  getHealth: async () => to("getHealth"),
  getOpenApi: async () => to("getOpenApi"),
  getAgentGuide: async () => to("getAgentGuide"),
  getAgentSkill: async () => to("getAgentSkill"),
  createSession: async () => to("createSession", {}, { role: "user" }),
  getMe: async () => to("getMe"),
  updateMe: async () => to("updateMe", {}, { name: `Name ${randomUUID()}` }),
  deleteMe: async (owner) => {
    for (const { slug } of (await owner.get("/projects")).body.projects) await owner.delete(`/projects/${slug}`);
    return to("deleteMe");
  },
  exportMe: async () => to("exportMe"),
  listEvents: async () => to("listEvents"),
  findUser: async ({ uid }) => ({ method: "GET", path: `/users?uid=${encodeURIComponent(uid)}` }),
  getUser: async ({ uid }) => to("getUser", { uid }),
  createToken: async () => to("createToken", {}, { name: "CI", scopes: ["publish"] }),
  listTokens: async () => to("listTokens"),
  revokeToken: async (owner) => to("revokeToken", { id: (await owner.token()).id }),
  getToken: async (owner) => to("getToken", { id: (await owner.token()).id }),
  discloseTokens: async (owner) => to("discloseTokens", {}, { tokens: [{ token: (await owner.token()).credential }] }),
  revokeCurrentToken: async () => to("revokeCurrentToken"),
  revokeTokens: async (owner) => {
    await owner.token();
    return to("revokeTokens");
  },
  rotateToken: async (owner) => to("rotateToken", { id: (await owner.token()).id }, {}),
  createProject: async () => to("createProject", {}, { slug: newSlug() }),
  listProjects: async () => to("listProjects"),
  getProject: async ({ slug }) => to("getProject", { slug }),
  updateProject: async ({ slug }) => to("updateProject", { slug }, { name: `Name ${randomUUID()}` }),
  deleteProject: async (owner) => to("deleteProject", { slug: await newProject(owner) }),
  restoreProject: async (owner) => {
    const slug = await newProject(owner);
    await owner.delete(`/projects/${slug}`);
    return to("restoreProject", { slug });
  },
  unpublishProject: async (owner) => {
    await publish(owner, owner.slug, newFolder());
    return to("unpublishProject", { slug: owner.slug });
  },
  listMembers: async ({ slug }) => to("listMembers", { slug }),
  updateMember: async (owner) => {
    const id = await otherMember(owner);
    return to("updateMember", { slug: owner.slug, member: id }, { role: "admin" });
  },
  removeMember: async (owner) => {
    const other = await withProject(await owner.otherDeveloper());
    await addMember(other, other.slug, owner, "publisher");
    return to("removeMember", { slug: other.slug, member: "me" });
  },
  createInvitation: async ({ slug }) => to("createInvitation", { slug }, { role: "publisher" }),
  listInvitations: async () => to("listInvitations"),
  getInvitation: async (owner) => to("getInvitation", await invitationTo(owner)),
  lookUpInvitation: async (owner) => {
    const { slug, id, secret } = await linkOf(owner);
    return to("lookUpInvitation", { slug, invitation: id }, { secret });
  },
  acceptInvitation: async (owner) => to("acceptInvitation", await invitationTo(owner)),
  listTeam: async () => to("listTeam"),
  leaveTeam: async (owner) => {
    const member = await owner.otherDeveloper();
    await addMember(owner, owner.slug, member, "publisher", { future: true });
    return { method: "DELETE", path: `/team?uid=${encodeURIComponent(member.uid)}` };
  },
  deleteInvitation: async (owner) => to("deleteInvitation", await invitationTo(owner)),
  listProjectTokens: async ({ slug }) => to("listProjectTokens", { slug }),
  updateProjectToken: async (owner) =>
    to("updateProjectToken", { slug: owner.slug, id: (await owner.token()).id }, { refused: true }),
  listProjectEvents: async ({ slug }) => to("listProjectEvents", { slug }),
  createPublisher: async ({ slug }) => to("createPublisher", { slug }, newJobs()),
  listPublishers: async ({ slug }) => to("listPublishers", { slug }),
  deletePublisher: async (owner) => {
    // One that stays because its removal was refused serves again: a project has ten at most.
    const path = `/projects/${owner.slug}/publishers`;
    const [existing] = (await owner.get(path)).body.publishers;
    const { id } = existing ?? (await must(owner, "POST", path, newJobs())).body;
    return to("deletePublisher", { slug: owner.slug, id });
  },
  createPendingPublisher: async (owner) => to("createPendingPublisher", {}, await newPending(owner)),
  listPendingPublishers: async () => to("listPendingPublishers"),
  deletePendingPublisher: async (owner) => {
    const pending = await newPending(owner);
    await must(owner, "POST", "/publishers", pending);
    return to("deletePendingPublisher", { slug: pending.project });
  },
  createRelease: async ({ slug }) => to("createRelease", { slug }, { files: manifestOf(newFolder()) }),
  createUploads: async (owner) => {
    const files = manifestOf(newFolder());
    const { body } = await owner.post(`/projects/${owner.slug}/releases`, { files });
    return to("createUploads", { slug: owner.slug, id: body.release.id }, { sha256: body.missing });
  },
  unpackFiles: async (owner) => {
    const { pack, files } = newPack();
    const { body } = await owner.post(`/projects/${owner.slug}/releases`, { files });
    const [path, given] = [
      `/projects/${owner.slug}/releases/${body.release.id}/packs`,
      { slot: 0, ...contentOf(pack) },
    ];
    const { upload: target } = (await must(owner, "POST", path, given)).body;
    await upload(target, pack);
    return to("unpackFiles", { slug: owner.slug, id: body.release.id }, given);
  },
  continueUpload: async (owner) => {
    const parts = Array.from({ length: 5 }, () => sha256(randomUUID()));
    const file = { path: "world.pck", size: 64 * 1024 * 1024 + 1, sha256: nameOfParts(parts) };
    const { body } = await owner.post(`/projects/${owner.slug}/releases`, { files: [file] });
    return to("continueUpload", { slug: owner.slug, id: body.release.id, sha256: file.sha256 }, { parts });
  },
  publishRelease: async (owner) => to("publishRelease", { slug: owner.slug, id: await newRelease(owner) }, {}),
  scheduleRelease: async (owner) =>
    to("scheduleRelease", { slug: owner.slug, id: await newRelease(owner) }, { at: minutesAhead(60) }),
  cancelSchedule: async (owner) => {
    const id = await newRelease(owner);
    await must(owner, "POST", `/projects/${owner.slug}/releases/${id}/schedule`, { at: minutesAhead(60) });
    return to("cancelSchedule", { slug: owner.slug, id });
  },
  updateRelease: async (owner) =>
    to("updateRelease", { slug: owner.slug, id: await newRelease(owner) }, { message: "Faster ships" }),
  withdrawRelease: async (owner) => {
    const id = await publish(owner, owner.slug, newFolder());
    await publish(owner, owner.slug, newFolder());
    return to("withdrawRelease", { slug: owner.slug, id });
  },
  openPreview: async (owner) => to("openPreview", { slug: owner.slug, id: await newRelease(owner) }),
  endPreview: async (owner) => to("endPreview", { slug: owner.slug, id: await newPreview(owner) }),
  updatePreview: async (owner) =>
    to("updatePreview", { slug: owner.slug, preview: await newPreview(owner) }, { kept: true }),
  deletePreview: async (owner) => to("deletePreview", { slug: owner.slug, preview: await newPreview(owner) }),
  listPreviews: async ({ slug }) => to("listPreviews", { slug }),
  ...optionOperations,
  listReleases: async ({ slug }) => to("listReleases", { slug }),
  getRelease: async (owner) => to("getRelease", { slug: owner.slug, id: await newRelease(owner) }),
  compareRelease: async (owner) => to("compareRelease", { slug: owner.slug, id: await newRelease(owner) }),
  listFiles: async (owner) => to("listFiles", { slug: owner.slug, id: await publish(owner, owner.slug, newFolder()) }),
  getFile: async (owner) => {
    await publish(owner, owner.slug, newFolder());
    return to("getFile", { slug: owner.slug, path: "index.html" });
  },
};

/** Jobs of a repository that no other operation names. */
function newJobs() {
  const repository_id = String(randomInt(1, 2 ** 47));
  return { provider: "github", repository_id, repository_owner_id: "1", workflow: ".github/workflows/publish.yml" };
}

/** A pending publisher, for which the account has room then. */
async function newPending(owner: Owner) {
  const { publishers } = (await owner.get("/publishers")).body;
  for (const { project } of publishers) await owner.delete(`/publishers/${project}`);
  return { project: newSlug(), publisher: newJobs() };
}

/** A new member of the project, in the place of the one before, because it has room for 20. */
async function otherMember(owner: Owner): Promise<string> {
  const path = `/projects/${owner.slug}/members`;
  const { members } = (await owner.get(path)).body;
  const full = members.length >= 15 ? members.at(-1).id : undefined;
  if (full) await owner.delete(`${path}/${full}`);
  await addMember(owner, owner.slug, await owner.otherDeveloper(), "publisher");
  return (await owner.get(path)).body.members.at(-1).id;
}

/** Makes somebody a member of a project, by an invitation to the uid; `more`: of others too. */
export async function addMember(
  owner: Person,
  slug: string,
  person: Person,
  role: string,
  more: { readonly projects?: readonly string[]; readonly future?: boolean } = {},
): Promise<void> {
  const { body } = await must(owner, "POST", `/projects/${slug}/invitations`, { role, to: person.uid, ...more });
  await must(person, "POST", `/projects/${slug}/invitations/${body.id}/acceptance`, {});
}

/** An invitation to a project of another developer. */
async function linkOf(owner: Owner): Promise<{ slug: string; id: string; secret: string }> {
  const other = await owner.otherDeveloper();
  const slug = await newProject(other);
  const { body } = await must(other, "POST", `/projects/${slug}/invitations`, { role: "publisher" });
  return { slug, id: body.id, secret: body.secret };
}

async function invitationTo(owner: Owner): Promise<{ slug: string; invitation: string }> {
  const other = await owner.otherDeveloper();
  const slug = await newProject(other);
  const { body } = await must(other, "POST", `/projects/${slug}/invitations`, { role: "publisher", to: owner.uid });
  return { slug, invitation: body.id };
}

function newFolder(): Folder {
  return { "index.html": randomUUID() };
}

/** A release that only needs to be published. */
async function newRelease(owner: Owner): Promise<string> {
  return (await openRelease(owner, owner.slug, newFolder())).body.release.id;
}

/** The release of a preview without a name. One whose end was refused serves again: a project has ten at most. */
async function newPreview(owner: Owner): Promise<string> {
  const { body } = await owner.get(`/projects/${owner.slug}/previews`);
  const id = body.previews[0]?.release.id ?? (await newRelease(owner));
  await must(owner, "POST", `/projects/${owner.slug}/releases/${id}/preview`, undefined);
  return id;
}

function to(name: RouteName, params: Record<string, string> = {}, body?: unknown): Operation {
  const { method, path } = routes[name];
  const filled = path.replace(/[:*](\w+)/g, (_, parameter: string) => encodeURIComponent(params[parameter] ?? ""));
  return { method, path: filled, ...(body !== undefined && { body }) };
}

/** Sends an operation as this caller. */
export function perform(caller: Pick<Person, "send">, { method, path, body, headers = {} }: Operation) {
  if (body === undefined) return caller.send(method, path, { headers });
  const { type, text } = encodedBody(body);
  return caller.send(method, path, { headers: { "content-type": type, ...headers }, body: text });
}

async function must(caller: Person, method: string, path: string, body: unknown) {
  const response = await perform(caller, { method, path, body });
  if (response.status < 300) return response;
  throw new Error(`${method} ${path} responded with ${response.status}: ${JSON.stringify(response.body)}`);
}
