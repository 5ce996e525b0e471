import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { bundleFolderOf } from "../../../infra/bundle.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { matchRoute } from "../../../local/gateway/routes.ts";
import { kebabCase, type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { encodedBody, type Owner, operations, withProject } from "../../support/service/operations.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { withGames } from "../../support/synthesis/settings.ts";
import { functionOf, synthesise } from "../../support/synthesis.ts";

/*
 * The local service gives every function every variable, a deployed one only those of the synthesised stack. So each bundle
 * runs here in a process of its own with those variables alone, `SVC_STAGE` as the stage has it.
 */
const deployed = synthesise("staging", withGames("staging"));

let service: TestService;
let owner: Owner;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

// A new one for each route, because some routes delete the account or revoke its tokens.
beforeEach(async () => {
  owner = await withProject(await actorsOf(service).developer());
});

/** The event that API Gateway sends, as far as the functions read it. */
async function eventOf(route: RouteName): Promise<object> {
  const { method, path, body, headers } = await operations[route](owner);
  const { credential } = routes[route].credential === "token" ? await owner.token() : owner;
  const { pathname, searchParams } = new URL(path, "http://api.test");
  const pathParameters = matchRoute(method, decodeURIComponent(pathname))?.pathParameters;
  return {
    headers: {
      ...(routes[route].credential !== "none" && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { "content-type": encodedBody(body).type }),
      ...headers,
    },
    rawPath: "/",
    ...(pathParameters && { pathParameters }),
    ...(searchParams.size > 0 && { queryStringParameters: Object.fromEntries(searchParams) }),
    ...(body !== undefined && { body: encodedBody(body).text }),
    requestContext: { requestId: "deployed", http: { method, path: "/" } },
    isBase64Encoded: false,
  };
}

/** The variables of the route's deployed function, with the local service's values, and where its engines are. */
function environmentOf(route: RouteName): Record<string, string> {
  const values: Record<string, string> = {
    SVC_STAGE: "staging",
    TABLE_NAME: service.tableName,
    BUCKET_NAME: service.bucketName,
    IDP_ISSUER: service.issuer,
    IDP_AUDIENCE: service.audience,
    IDP_JWKS_URI: service.jwksUri,
    GAMES_DOMAIN: service.gamesDomain,
    DASHBOARD_ORIGIN: new URL(service.dashboard).origin,
  };
  const names = Object.keys(functionOf(deployed, route)[1].Properties.Environment.Variables);
  return {
    ...Object.fromEntries(names.map((name) => [name, values[name] ?? ""])),
    DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
    S3_ENDPOINT: service.s3Endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

const invoke = `
  const { handler } = await import(process.argv[1]);
  const chunks = await process.stdin.toArray();
  const { statusCode, body } = await handler(JSON.parse(Buffer.concat(chunks)), { getRemainingTimeInMillis: () => 15_000 });
  console.log(JSON.stringify({ statusCode, code: /^{"type":"urn:svc:error:(\\w+)"/.exec(body)?.[1] }));
  process.exit();
`;

async function run(route: RouteName): Promise<{ statusCode: number; code?: string }> {
  const event = await eventOf(route);
  const bundle = `file://${bundleFolderOf(kebabCase(route))}/index.mjs`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", invoke, bundle], { env: environmentOf(route) });
  child.stdin.end(JSON.stringify(event));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const response = output.trim().split("\n").at(-1);
  if (!response) throw new Error(errors);
  return JSON.parse(response);
}

test.each(Object.keys(routes) as RouteName[])("%s has every variable that it needs", async (route) => {
  const { statusCode, code } = await run(route);
  expect({ code, isSuccess: statusCode in routes[route].responses }).toEqual({ code: undefined, isSuccess: true });
});
