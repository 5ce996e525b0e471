import { expect, test } from "@jest/globals";
import { startHttpServer } from "../../support/network/http-server.ts";
import { newSlug } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { visitor } from "../dashboard/visitor.ts";

/* A person who uses an application of somebody else: a page at another origin, which knows the API's URL and its documents alone. */

/** Sends what openapi.json describes, and says what in a response it does not describe. */
const program = `
  const api = location.hash.slice(1);
  const json = async (url) => (await fetch(url)).json();
  const opened = json(api + "/openapi.json");
  const target = (document, { $ref, ...rest }) =>
    $ref ? $ref.slice(2).split("/").reduce((at, part) => at[part.replaceAll("~1", "/").replaceAll("~0", "~")], document) : rest;
  async function call(id, { path = {}, query = {}, headers = {}, body, token } = {}) {
    const document = await opened;
    const [template, method, operation] = Object.entries(document.paths)
      .flatMap(([template, operations]) => Object.entries(operations).map((entry) => [template, ...entry]))
      .find(([, , { operationId }]) => operationId === id);
    const known = (operation.parameters ?? []).map((one) => target(document, one).name);
    const unknown = [...Object.keys(path), ...Object.keys(query), ...Object.keys(headers)].filter((name) => !known.includes(name));
    const url = new URL(api + template.replaceAll(/{(.*?)}/g, (_, name) => encodeURIComponent(path[name])));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...headers,
        ...(token && { authorization: "Bearer " + token }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const received = text === "" ? undefined : JSON.parse(text);
    const { status } = response;
    const described = operation.responses[status] && target(document, operation.responses[status]);
    const type = response.headers.get("content-type")?.replace(/;.*/, "");
    const schema = described?.content?.[type]?.schema;
    const codes = described?.description.match(/[a-z]+(?:_[a-z]+)+/g) ?? [];
    const isDescribed = described && (type === null || type === undefined || schema) && (status < 400 || codes.includes(received.code));
    return { status, body: received, etag: response.headers.get("etag"), unknown, isDescribed: Boolean(isDescribed) };
  }
  const post = async (url, fields) => (await fetch(url, { method: "POST", body: new URLSearchParams(fields) })).json();
  const signIn = async () => {
    const { token_endpoint, device_authorization_endpoint } = await json(api + "/.well-known/oauth-authorization-server");
    const { device_code, interval, ...shown } = await post(device_authorization_endpoint, { client_id: "svc-cli", scope: "projects" });
    document.querySelector("a").href = shown.verification_uri_complete;
    const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "svc-cli", device_code };
    await new Promise((resolve) => setTimeout(resolve, interval * 1000));
    const { access_token, error } = await post(token_endpoint, fields);
    if (!access_token) throw new Error(error);
    window.token = access_token;
    document.querySelector("output").textContent = "Signed in";
  };
  document.querySelector("button").onclick = signIn;
`;
const application = duringTests(() =>
  startHttpServer((_, response) =>
    response
      .setHeader("content-type", "text/html")
      .end(
        `<!doctype html><title>Application</title><button>Sign in</button><a>Approve it</a><output></output><script type="module">${program} window.call = (id, sent) => call(id, { token: window.token, ...sent });</script>`,
      ),
  ),
);
const v = visitor({
  env: {
    get SVC_WEB_ORIGINS() {
      return application.endpoint;
    },
  },
});

interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly token?: string | null;
}

test("lets an application in, which creates and lists projects by the API's documents alone, and ends it", async () => {
  const { page, context, service } = v;
  await page.clock.install();
  await page.goto(`${application.endpoint}/#${service.api}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  const link = page.getByRole("link", { name: "Approve it" });
  await link.waitFor();
  const approval = await context.newPage();
  await v.enter("", { page: approval });
  await approval.goto((await link.getAttribute("href")) ?? "");
  await approval.getByRole("button", { name: "Continue" }).click();
  await approval.getByRole("button", { name: "Approve" }).click();
  await approval.getByText("The device is signed in").waitFor();
  await page.clock.fastForward("00:05");
  await page.getByText("Signed in").waitFor();

  const call = async (id: string, sent: Sent = {}) => {
    const { status, body, etag, ...rest } = (await page.evaluate(
      `call(${JSON.stringify(id)}, ${JSON.stringify(sent)})`,
      // biome-ignore lint/suspicious/noExplicitAny: what the API responds with is checked where it is read
    )) as any;
    expect({ id, status, ...rest }).toEqual({ id, status, unknown: [], isDescribed: true });
    return { status, body, etag };
  };
  expect((await call("getMe")).body).toMatchObject({ user: { name: "Ada Lovelace" }, auth: { kind: "token" } });

  const slugs = Array.from({ length: 5 }, () => newSlug()).sort();
  for (const slug of slugs) {
    const creation = { body: { slug }, headers: { "Idempotency-Key": `"${slug}"` } };
    expect((await call("createProject", creation)).status).toBe(201);
    // A response that was lost: the same request again creates nothing more.
    expect((await call("createProject", creation)).body.slug).toBe(slug);
  }
  const listed: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await call("listProjects", { query: { limit: 2, ...(cursor && { cursor }) } });
    expect(body.projects.length).toBeLessThanOrEqual(2);
    listed.push(...body.projects.map(({ slug }: { slug: string }) => slug));
    cursor = body.next_cursor;
  }
  expect(listed.sort()).toEqual(slugs);

  const [slug = ""] = slugs;
  const { etag } = await call("getProject", { path: { slug } });
  const rename = (name: string) =>
    call("updateProject", { path: { slug }, headers: { "If-Match": etag }, body: { name } });
  expect(await rename("First")).toMatchObject({ status: 200, body: { name: "First" } });
  for (const [asked, status, code] of [
    [rename("Second"), 412, "precondition_failed"],
    [call("createProject", { body: { slug: "No" } }), 422, "validation_failed"],
    [call("createProject", { body: { slug } }), 409, "slug_taken"],
    [call("listProjects", { query: { cursor: "made up" } }), 400, "invalid_cursor"],
    [call("getProject", { path: { slug: newSlug() } }), 404, "project_not_found"],
    [call("deleteProject", { path: { slug } }), 403, "session_required"],
    [call("getMe", { token: null }), 401, "credential_missing"],
  ] as const)
    expect(await asked).toMatchObject({ status, body: { status, code, detail: expect.any(String) } });

  await approval.goto(`${service.dashboard}tokens`);
  await approval
    .getByRole("button", { name: /^Revoke / })
    .first()
    .click();
  await approval.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await approval.getByRole("dialog").waitFor({ state: "detached" });
  expect(await call("getMe")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
});
