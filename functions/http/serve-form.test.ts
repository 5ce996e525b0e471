import { afterEach, describe, expect, jest, test } from "@jest/globals";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { limits } from "../../contract/api/limits.ts";
import { oauthClientId } from "../../contract/api/login/authorization-request.ts";
import { exchangeGrant } from "../../contract/api/login/oauth.ts";
import { ServiceError } from "../domain/service-error.ts";
import { response } from "./response.ts";
import { serveForm } from "./serve-form.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

const tokenResponse = response(200, { access_token: "t", token_type: "Bearer" as const, expires_in: 1, scope: "" });
const form = "application/x-www-form-urlencoded";

/** The route's response to a form, and what its handler got. */
async function post(body: string, headers: Record<string, string> = {}, failure?: ServiceError) {
  let received: object | undefined;
  const handler = serveForm(exchangeGrant, async (request) => {
    received = request.body;
    if (failure !== undefined) throw failure;
    return tokenResponse;
  });
  const requestContext = { requestId: "r1", http: { method: "POST" } };
  const event = { headers: { "content-type": form, ...headers }, body, requestContext, isBase64Encoded: false };
  const result = await handler(event as unknown as APIGatewayProxyEventV2, {} as Context);
  return { status: result.statusCode, headers: result.headers ?? {}, ...JSON.parse(String(result.body)), received };
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const grant = "grant_type=x";

describe("the client of a form", () => {
  test.each([
    ["in the form", `${grant}&client_id=${oauthClientId}`, {}],
    ["as HTTP Basic with an empty password", grant, { authorization: basic(`${oauthClientId}:`) }],
    [
      "with its scheme in another case",
      grant,
      { authorization: basic(`${oauthClientId}:`).replace("Basic ", "bASIC  ") },
    ],
    ["form-encoded in HTTP Basic", grant, { authorization: basic("svc%2Dcli:") }],
    ["twice, the same", `${grant}&client_id=${oauthClientId}`, { authorization: basic(`${oauthClientId}:`) }],
    ["in the form, beside another scheme", `${grant}&client_id=${oauthClientId}`, { authorization: "Bearer x" }],
    ["in the form, beside another scheme's word", `${grant}&client_id=${oauthClientId}`, { authorization: "x basic" }],
    [
      "in the form, beside a scheme that begins alike",
      `${grant}&client_id=${oauthClientId}`,
      { authorization: "Basics x" },
    ],
  ])("may be named %s", async (_, body, headers) => {
    expect(await post(body, headers)).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store", pragma: "no-cache" },
      access_token: "t",
      received: { grant_type: "x" },
    });
  });

  test.each([
    ["nowhere", grant, {}],
    ["by another id", `${grant}&client_id=other`, {}],
    ["with a password", grant, { authorization: basic(`${oauthClientId}:secret`) }],
    ["without a colon", grant, { authorization: basic(oauthClientId) }],
    ["with an encoded colon in HTTP Basic", grant, { authorization: basic("svc-cli%3A") }],
    ["with a password in HTTP Basic", grant, { authorization: basic("svc-cli:&x") }],
    ["after something else in HTTP Basic", grant, { authorization: basic(`x:${oauthClientId}:`) }],
    ["twice, not the same", `${grant}&client_id=${oauthClientId}`, { authorization: basic("other:") }],
    ["in the form, beside an empty HTTP Basic", `${grant}&client_id=${oauthClientId}`, { authorization: "Basic" }],
    ["in the form, beside two words of HTTP Basic", grant, { authorization: `${basic(`${oauthClientId}:`)} x` }],
    ["by the second of two words of HTTP Basic", grant, { authorization: `Basic x ${basic(`${oauthClientId}:`)}` }],
    ["by a scheme after another", grant, { authorization: `x ${basic(`${oauthClientId}:`)}` }],
  ])("is refused if it is named %s, and told to use HTTP Basic", async (_, body, headers) => {
    expect(await post(body, headers)).toMatchObject({
      status: 401,
      error: "invalid_client",
      headers: { "www-authenticate": 'Basic realm="svc"', "cache-control": "no-store", pragma: "no-cache" },
      received: undefined,
    });
  });
});

describe("a form", () => {
  const known = `client_id=${oauthClientId}`;

  test.each([form, ` ${form} `, form.toUpperCase(), `${form}; charset=UTF-8`, `${form} ;charset=UTF-8`])(
    "may have the type %j",
    async (type) => {
      expect(await post(`${grant}&${known}`, { "content-type": type })).toMatchObject({ status: 200 });
    },
  );

  test.each(["", "application/json", `x ${form}`, `${form}x`])("of the type %j is refused", async (type) => {
    expect(await post(`${grant}&${known}`, { "content-type": type })).toMatchObject({
      status: 400,
      error: "invalid_request",
      error_description: expect.stringContaining(form),
    });
  });

  test("may repeat and leave empty what the route does not know, and an empty value counts as none", async () => {
    const { status, received } = await post(`${grant}&${known}&audience=a&audience=b&code=&code=c`);
    expect({ status, received }).toEqual({
      status: 200,
      received: { grant_type: "x", client_id: oauthClientId, code: "c" },
    });
  });

  test("may name several resources, of which none counts (RFC 8707)", async () => {
    const { status, received } = await post(`${grant}&${known}&resource=a&resource=b`);
    expect({ status, received }).toEqual({ status: 200, received: { grant_type: "x", client_id: oauthClientId } });
  });

  test("that repeats a known parameter, or has an invalid one, is refused with its name", async () => {
    expect(await post(`${grant}&${known}&code=a&code=b`)).toMatchObject({
      status: 400,
      error: "invalid_request",
      error_description: expect.stringMatching(/\bcode\b/),
    });
    const { status, error_description } = await post(`${known}&code_verifier=short`);
    expect({ status, error_description }).toEqual({
      status: 400,
      error_description: expect.stringMatching(/^grant_type is required; code_verifier must be/),
    });
  });

  test.each([
    [0, 200],
    [1, 413],
  ])("of %i bytes above the limit gets %i", async (above, status) => {
    const start = `${grant}&${known}&other=`;
    expect(await post(start + "x".repeat(limits.formBytes - start.length + above))).toMatchObject({ status });
  });
});

test.each([
  ["account_required", 400, "invalid_grant"],
  ["account_suspended", 400, "invalid_grant"],
  ["developer_required", 400, "invalid_grant"],
  ["project_limit_reached", 400, "invalid_grant"],
  ["token_limit_reached", 400, "invalid_grant"],
  ["too_many_creations", 400, "invalid_grant"],
  ["validation_failed", 400, "invalid_grant"],
  ["slow_down", 400, "slow_down"],
  ["internal_error", 500, "server_error"],
  ["temporarily_unavailable", 503, "temporarily_unavailable"],
] as const)("the client hears of %s as %i %s, and no cache keeps it", async (code, status, error) => {
  // Some of them are logged.
  jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const response = await post(`${grant}&client_id=${oauthClientId}`, {}, new ServiceError(code));
  expect(response).toMatchObject({
    status,
    error,
    error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" },
  });
  expect(response.headers).not.toHaveProperty("www-authenticate");
  expect(response).not.toHaveProperty("needs");
});

test("a description has an apostrophe for each character that OAuth does not allow there", async () => {
  const detail = 'Scope "é\\" is unknown.';
  const failure = new ServiceError("invalid_scope", { detail, needs: "publisher" });
  expect(await post(`${grant}&client_id=${oauthClientId}`, {}, failure)).toMatchObject({
    error_description: expect.stringMatching(/^Scope '{4} is unknown\.$/),
    needs: "publisher",
  });
});
