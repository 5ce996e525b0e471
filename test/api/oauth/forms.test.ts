import { describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

/*
 * Routes that take forms: values that they accept and refuse, by RFC 6749, whatever the grant.
 */
const service = useService();
const actors = actorsOf(service);

/** Posts a form without a library. */
function postForm(path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}) {
  return actors.anonymous.send("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

const good = {
  grant_type: "authorization_code",
  client_id: "svc-cli",
  code: "x",
  redirect_uri: "x",
  code_verifier: "v".repeat(43),
};
const { client_id: _, ...withoutClient } = good;
const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString("base64")}` });

describe("a form", () => {
  test.each<[string, Record<string, string> | string, string]>([
    ["without a grant type", { client_id: "svc-cli" }, "invalid_request"],
    ["of another grant type", { ...good, grant_type: "password" }, "unsupported_grant_type"],
    ["without a verifier", { ...good, code_verifier: "" }, "invalid_request"],
    ["without a code", { ...good, code: "" }, "invalid_request"],
    [
      "with a device code left out",
      { ...good, grant_type: "urn:ietf:params:oauth:grant-type:device_code" },
      "invalid_request",
    ],
    ["with a parameter twice", `${new URLSearchParams(good)}&code=y`, "invalid_request"],
    ["with an unknown code", good, "invalid_grant"],
    ["with an unknown parameter twice", `${new URLSearchParams(good)}&audience=a&audience=b`, "invalid_grant"],
    ["with parameters that name an object's own members", `${new URLSearchParams(good)}&__proto__=x`, "invalid_grant"],
  ])("%s is refused as OAuth does", async (_, fields, error) => {
    const { status, headers, body } = await postForm("/oauth/token", fields);
    expect({ status, error: body.error }).toEqual({ status: 400, error });
    expect([headers.get("cache-control"), headers.get("pragma")]).toEqual(["no-store", "no-cache"]);
  });

  test.each([
    ["authorization_code", "code, redirect_uri and code_verifier"],
    ["urn:ietf:params:oauth:grant-type:device_code", "device_code"],
  ])("of the grant type %s is told that it needs %s", async (grant_type, needed) => {
    const { body } = await postForm("/oauth/token", { client_id: "svc-cli", grant_type });
    expect(body.error_description).toBe(`This grant type needs ${needed}.`);
  });

  test("that is JSON is refused", async () => {
    const { status, body } = await actors.anonymous.post("/oauth/token", good);
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_request" });
  });

  test.each(["admin", "publish admin", " "])("that asks for the scope %j is refused", async (scope) => {
    const { status, body } = await postForm("/oauth/device_authorization", { client_id: "svc-cli", scope });
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_scope" });
  });

  test("of 16 KiB is read, and one byte more is refused before it is parsed", async () => {
    const filled = (bytes: number) => {
      const form = `${new URLSearchParams(good)}&padding=`;
      return form + "x".repeat(bytes - form.length);
    };
    expect((await postForm("/oauth/token", filled(limits.formBytes))).body.error).toBe("invalid_grant");
    const { status, body } = await postForm("/oauth/token", filled(limits.formBytes + 1));
    expect({ status, error: body.error, description: body.error_description }).toEqual({
      status: 413,
      error: "payload_too_large",
      description: "The form is larger than 16 KiB.",
    });
    // Not a form at all: its media type would be refused if it were looked at.
    const text = await actors.anonymous.send("POST", "/oauth/token", {
      headers: {},
      body: "x".repeat(limits.formBytes + 1),
    });
    expect(text.status).toBe(413);
  });
});

describe("the client of a form", () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["by client_id", good, {}],
    ["by HTTP Basic with an empty secret", withoutClient, basic("svc-cli:")],
    ["by HTTP Basic, form-encoded (RFC 6749, section 2.3.1)", withoutClient, basic("svc%2Dcli:")],
    ["by both", good, basic("svc-cli:")],
    ["by client_id, beside another scheme", good, { authorization: "Bearer x" }],
  ])("is named %s", async (_, fields, headers) => {
    const { status, body } = await postForm("/oauth/token", fields, headers);
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_grant" });
    const { authorization } = headers as { authorization?: string };
    const device = await postForm(
      "/oauth/device_authorization",
      fields["client_id"] ? { client_id: "svc-cli" } : {},
      authorization ? { authorization } : {},
    );
    expect(device.status).toBe(200);
  });

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["nobody", withoutClient, {}],
    ["another by client_id", { ...good, client_id: "other" }, {}],
    ["another by HTTP Basic", withoutClient, basic("other:")],
    ["this one with a secret", withoutClient, basic("svc-cli:secret")],
    ["this one without a colon", withoutClient, basic("svc-cli")],
    ["with a percent sign that encodes nothing", withoutClient, basic("svc-cli%:")],
    ["this one by HTTP Basic, another by client_id", { ...good, client_id: "other" }, basic("svc-cli:")],
    ["this one by client_id, another by HTTP Basic", good, basic("other:")],
    ["this one by client_id, beside HTTP Basic without anything", good, { authorization: "Basic" }],
  ])("that is %s is refused with a challenge", async (_, fields, headers) => {
    for (const path of ["/oauth/token", "/oauth/device_authorization"]) {
      const response = await postForm(path, fields, headers);
      expect({ status: response.status, error: response.body.error }).toEqual({ status: 401, error: "invalid_client" });
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="svc"');
    }
  });
});
