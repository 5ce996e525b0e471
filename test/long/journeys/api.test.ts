import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { inventToken } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../../support/cli/terminal.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { useServers } from "../../support/service/suite.ts";

const user = usePublishingUser();
const { service, person, svc, write } = user;
const keep = useServers();

describe("svc api", () => {
  test("sends a request with the token, and prints the body", async () => {
    const { code, json, stderr } = await svc(["api", "GET", "/me"]);
    expect({ code, stderr, json }).toMatchObject({ code: 0, stderr: "", json: { auth: { kind: "token" } } });
    expect((await svc(["api", "get", "/me", "--json"])).json).toMatchObject({
      status: 200,
      body: { auth: { kind: "token" } },
    });
  });

  test("sends fields as a JSON body, and as the query of a GET", async () => {
    const path = `/projects/${user.slug}`;
    const { json } = await svc(["api", "PATCH", path, "-f", "name=1", "-F", "description=null"]);
    expect(json).toMatchObject({ name: "1", description: null });
    await svc(["api", "POST", "/projects", "-f", `slug=${user.slug}-2`]);
    const page = await svc(["api", "GET", "/projects", "-F", "limit=1"]);
    expect(page.json.projects).toHaveLength(1);
    expect(page.json.next_cursor).toEqual(expect.any(String));
    const all = await svc(["api", "GET", "/projects", "-F", "limit=1", "--paginate", "--json"]);
    expect(all.json.pages.length).toBeGreaterThanOrEqual(2);
    const slugs = all.json.pages.flatMap(({ body }: { body: { projects: { slug: string }[] } }) => body.projects);
    expect(slugs).toEqual(expect.arrayContaining([expect.objectContaining({ slug: user.slug })]));
  });

  test("sends a body from a file or from standard input, and headers", async () => {
    const path = `/projects/${user.slug}`;
    writeFileSync(join(person.home, "body.json"), '{"name":"From a file"}');
    expect((await svc(["api", "PATCH", path, "--input", "body.json"])).json.name).toBe("From a file");
    const piped = await svc(["api", "PATCH", path, "--input", "-"], { input: '{"name":"Piped"}' });
    expect(piped.json.name).toBe("Piped");
    const typed = await svc(["api", "PATCH", path, "--input", "body.json", "-H", "Content-Type: text/plain"]);
    expect({ code: typed.code, json: typed.json }).toMatchObject({ code: 1, json: { code: "unsupported_media_type" } });
  });

  test("prints the body of an error, and exits with 1, also with --json", async () => {
    const text = await svc(["api", "DELETE", `/projects/${user.slug}`]);
    expect(text).toMatchObject({ code: 1, stderr: expect.stringContaining("responded with 403.") });
    expect(text.json).toMatchObject({ code: "session_required" });
    const json = await svc(["api", "GET", "/projects/no-such-game", "--json"]);
    expect({ code: json.code, json: json.json }).toMatchObject({
      code: 1,
      json: { status: 404, body: { status: 404 } },
    });
  });

  test("sends no token if there is none, and prints bytes as they are", async () => {
    write({ "index.html": "<h1>Gäme</h1>" });
    await user.publish();
    const env = { SVC_TOKEN: "" };
    const file = await svc(["api", "GET", `/projects/${user.slug}/files/index.html`], { env });
    expect({ code: file.code, stdout: file.stdout }).toEqual({ code: 0, stdout: "<h1>Gäme</h1>" });
    expect(await svc(["api", "GET", "/me"], { env })).toMatchObject({ code: 1 });
  });

  test.each([
    "https://evil.example/me",
    "/https://evil.example/me",
    "//evil.example/me",
    "/\\evil.example/me",
    "/../me",
    "me",
    "/@evil.example/",
  ])("sends the token nowhere else: %s", async (path) => {
    const seen: string[] = [];
    const server = await keep(
      startMisbehavingServer((request, response) => {
        seen.push(request.url ?? "");
        sendJson(response, 200, goodMe);
      }),
    );
    const { code } = await person.run(["api", "GET", path, "--api", `${server.origin}/base`], {
      env: { SVC_TOKEN: inventToken() },
    });
    // Either refused, or a path of this API.
    expect(seen.every((url) => url.startsWith("/base/"))).toBe(true);
    expect(code).toBe(seen.length === 0 ? 2 : 0);
  });

  test("ends if the API says that the same page comes next again and again", async () => {
    const server = await keep(
      startMisbehavingServer((_, response) => sendJson(response, 200, { projects: [], next_cursor: "same" })),
    );
    const { code, json } = await person.run(
      ["api", "GET", "/projects", "--paginate", "--json", "--api", server.origin],
      {
        env: { SVC_TOKEN: inventToken() },
      },
    );
    expect({ code, pages: json.pages.length, requests: server.requests.length }).toEqual({
      code: 0,
      pages: 2,
      requests: 2,
    });
  });

  test("follows no redirect, and says where it leads", async () => {
    const other = await keep(startMisbehavingServer((_, response) => sendJson(response, 200, {})));
    const server = await keep(
      startMisbehavingServer((_, response) => response.writeHead(302, { location: `${other.origin}/x` }).end()),
    );
    const { code, stderr } = await person.run(["api", "GET", "/me", "--api", server.origin], {
      env: { SVC_TOKEN: inventToken() },
    });
    expect({ code, stderr, other: other.requests }).toEqual({
      code: 0,
      stderr: `warning: 302, not followed: ${other.origin}/x\n`,
      other: [],
    });
  });

  test.each(["Host: evil.example", "authorization: Bearer x", "Content-Length: 1", "no header", "a b: c"])(
    "refuses the header %s",
    async (header) => {
      expect(await svc(["api", "GET", "/me", "-H", header])).toMatchObject({ code: 2 });
    },
  );

  test("prints no token, neither of the request nor of a response", async () => {
    const server = await keep(
      startMisbehavingServer((request, response) =>
        sendJson(response, 201, { token: inventToken(), sent: request.headers.authorization }),
      ),
    );
    const { code, json } = await person.run(["api", "POST", "/tokens", "--api", server.origin, "--verbose"], {
      env: { SVC_TOKEN: inventToken() },
    });
    expect({ code, json }).toEqual({ code: 0, json: { token: "pat_…", sent: "Bearer pat_…" } });
  });

  (hasTerminal ? test : test.skip)("prints the same on a terminal", async () => {
    const env = { SVC_API: service.api, SVC_TOKEN: user.token.credential };
    const { code, shown } = await onPseudoTerminal(person, `api GET /projects/${user.slug}`, { env });
    expect(code).toBe(0);
    expect(JSON.parse(plainText(shown))).toMatchObject({ slug: user.slug });
  });
});

describe("the flags of every command", () => {
  test("-C runs it in another folder", async () => {
    mkdirSync(join(person.home, "elsewhere"));
    writeFileSync(join(person.home, "elsewhere", "svc.toml"), `project = "${user.slug}"\n`);
    const { code, json } = await svc(["releases", "-C", "elsewhere", "--json"]);
    expect({ code, json }).toMatchObject({ code: 0, json: { project: user.slug } });
    expect(await svc(["releases", "--directory", "nowhere"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no such file or directory"),
    });
  });

  test("--quiet prints only warnings and errors", async () => {
    write({ "index.html": "<h1>Game</h1>", ".env": "SECRET" });
    const { code, stdout, stderr } = await svc(["publish", "game", "-p", user.slug, "-q"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^warning: .*\.env.*\n$/),
    });
    expect(await svc(["whoami", "--quiet"], { env: { SVC_TOKEN: inventToken() } })).toMatchObject({
      code: 4,
      stdout: "",
    });
    expect((await svc(["whoami", "--quiet", "--json"])).json.auth.kind).toBe("token");
  });

  test("--verbose shows each request with its status and time, and no token", async () => {
    const { code, stderr } = await svc(["whoami", "--verbose"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/me: 200, request [\w-]+ in \d+ ms\n$/),
    });
    const failed = await person.run(["whoami", "--verbose", "--api", "http://127.0.0.1:9"], {
      env: { SVC_TOKEN: inventToken() },
    });
    expect(failed.stderr).toMatch(/^GET http:\/\/127\.0\.0\.1:9\/me: no response \(.*\) in \d+ ms\n/);
  });

  test("FORCE_COLOR colours a pipe too, and 0 no terminal", async () => {
    const bold = `\u001b[1m`;
    expect((await svc(["whoami"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(bold);
    for (const none of ["0", ""])
      expect((await svc(["whoami"], { env: { FORCE_COLOR: none } })).stdout).not.toContain(bold);
    if (!hasTerminal) return;
    const env = { SVC_API: service.api, SVC_TOKEN: user.token.credential, FORCE_COLOR: "0" };
    expect((await onPseudoTerminal(person, "whoami", { env })).shown).not.toContain(bold);
  });
});
