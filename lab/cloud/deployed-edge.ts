import { lookup } from "node:dns";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import "@aws-sdk/signature-v4a";
import { CloudFrontKeyValueStoreClient, GetKeyCommand } from "@aws-sdk/client-cloudfront-keyvaluestore";
import { type Distribution, EdgeLocation } from "../../local/edge/edge-location.ts";
import type { Store } from "../../local/edge/viewer-runtime.ts";
import { gameHost } from "../../local/sites/game-host.ts";
import { root } from "../../test/support/documents.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import type { Cloud } from "./cloud.ts";

/**
 * Plays the games of a deployed stage. MiniStack keeps the games' distribution and cannot run it: it has no Lambda@Edge, and its viewer functions
 * cannot import `cloudfront`. So one location of the model of CloudFront (local/edge) runs what MiniStack says was deployed:
 * - the viewer's functions, by the distribution's behaviors, over CloudFront's key-value store;
 * - the version of Lambda@Edge that the distribution names, called at MiniStack with its role's rights;
 * - lifetimes, headers and origin of the distribution and its policies, and the stage's bucket.
 *
 * It is reached at its own endpoint, and at each `https://SLUG.DOMAIN` by the cloud's proxy.
 *
 * @param stack of the stage
 */
export async function startDeployedEdge(cloud: Cloud, stack: string) {
  const outputs = await cloud.outputsOf(stack);
  const { DistributionConfig: config } = await cloud.aws(
    ...["cloudfront", "get-distribution-config", "--id", outputs.get("GamesDistributionId") ?? ""],
  );
  await allowStore(cloud, stack);
  const store = storeAt(cloud, outputs.get("GamesStoreArn") ?? "");
  const [origin] = config.Origins.Items;
  const [, bucket = ""] = /^(.+)\.s3\.[a-z0-9-]+\.amazonaws\.com$/.exec(origin.DomainName) ?? [];
  const { accessKeyId, secretAccessKey } = await cloud.createUser("games-edge");
  // The location reads the bucket as this process's functions would (local/edge/origin.ts).
  Object.assign(process.env, {
    ...{ BUCKET_NAME: bucket, S3_ENDPOINT: cloud.endpoint, AWS_REGION: cloud.region },
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  });
  const location = new EdgeLocation(await distributionOf(cloud, config), store);
  const domain = config.Aliases.Items[0].replace(/^\*\./, "");
  const site = gameHost(domain, location, []);
  const respond = (...[request, response]: Parameters<typeof site.respond>) =>
    void (site.respond(request, response) || response.writeHead(421).end());
  const [plain, secure] = await Promise.all([startHttpServer(respond), startHttpServer(respond, cloud.certificate)]);
  cloud.route(`.${domain}`, Number(new URL(secure.endpoint).port));
  return {
    endpoint: plain.endpoint,
    store,
    stop: async () => {
      await Promise.all([plain.stop(), secure.stop(), location.stop()]);
    },
  };
}

/** MiniStack knows no resource of the store's actions, so a statement about one store allows nothing. Roles that have one may use every store. */
async function allowStore(cloud: Cloud, stack: string): Promise<void> {
  const [file = ""] = globSync(join(root, `build/deploy/*/${stack}.template.json`));
  const { Resources: resources } = JSON.parse(readFileSync(file, "utf8"));
  const { StackResourceSummaries: made } = await cloud.aws(
    "cloudformation",
    "list-stack-resources",
    "--stack-name",
    stack,
  );
  const roles = Object.entries<Printed>(resources).flatMap(([id, resource]) => {
    if (!JSON.stringify(resource).includes(`"${storeService}:`)) return [];
    return resource.Type === "AWS::IAM::Role" ? id : (resource.Properties.Roles ?? []).map(({ Ref }: Printed) => Ref);
  });
  const document = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: `${storeService}:*`, Resource: "*" }],
  };
  const policy = ["--policy-name", "every-store", "--policy-document", JSON.stringify(document)];
  for (const { LogicalResourceId, PhysicalResourceId } of made)
    if (roles.includes(LogicalResourceId))
      await cloud.aws("iam", "put-role-policy", "--role-name", PhysicalResourceId, ...policy);
}

const storeService = "cloudfront-keyvaluestore";

function storeAt(cloud: Cloud, KvsARN: string): Store {
  const client = new CloudFrontKeyValueStoreClient({
    endpoint: cloud.endpoint,
    // It puts the account's number before localhost, which not every system resolves.
    requestHandler: {
      httpsAgent: new Agent({ lookup: (_, options, callback) => lookup("localhost", options, callback) }),
    },
    region: cloud.region,
    credentials: { accessKeyId: cloud.env.AWS_ACCESS_KEY_ID, secretAccessKey: cloud.env.AWS_SECRET_ACCESS_KEY },
  });
  const get = async (Key: string) => (await client.send(new GetKeyCommand({ KvsARN, Key }))).Value ?? "";
  const isAbsent = (error: Error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    return false;
  };
  return { get, exists: (key) => get(key).then(() => true, isAbsent) };
}

/** Text of MiniStack's responses, as the command line of AWS prints them. */
// biome-ignore lint/suspicious/noExplicitAny: the model that reads it has types
type Printed = any;

async function distributionOf(cloud: Cloud, config: Printed): Promise<Distribution> {
  // Those without functions pass requests of options on to the API.
  const behaviors = [...config.CacheBehaviors.Items, { ...config.DefaultCacheBehavior, PathPattern: "*" }].filter(
    ({ FunctionAssociations }) => FunctionAssociations.Quantity > 0,
  );
  const [behavior] = behaviors;
  const policy = async (command: string, id: string) => await cloud.aws("cloudfront", command, "--id", id);
  const [{ CachePolicyConfig: cache }, { OriginRequestPolicyConfig: sent }, { ResponseHeadersPolicyConfig: added }] =
    await Promise.all([
      policy("get-cache-policy-config", behavior.CachePolicyId),
      policy("get-origin-request-policy-config", behavior.OriginRequestPolicyId),
      policy("get-response-headers-policy-config", behavior.ResponseHeadersPolicyId),
    ]);
  const codes = new Map<string, string>();
  for (const { FunctionARN: arn } of behaviors.flatMap((each) => each.FunctionAssociations.Items)) {
    const file = join(cloud.folder, "function.js");
    const name = arn.split("/").at(-1);
    await cloud.aws("cloudfront", "get-function", "--name", name, "--stage", "LIVE", file);
    codes.set(arn, readFileSync(file, "utf8"));
  }
  const codeOf = (each: Printed, type: string) => {
    const found = each.FunctionAssociations.Items.find(({ EventType }: Printed) => EventType === type);
    return codes.get(found.FunctionARN) ?? "";
  };
  const [lambda] = behavior.LambdaFunctionAssociations.Items;
  const { StrictTransportSecurity: hsts } = added.SecurityHeadersConfig;
  const [origin] = config.Origins.Items;
  return {
    viewerRequests: behaviors.map((each) => ({
      pathPrefix: each.PathPattern.replace(/\*$/, ""),
      code: codeOf(each, "viewer-request"),
    })),
    viewerResponse: codeOf(behavior, "viewer-response"),
    loadHandler: async () => (event: unknown) => invoke(cloud, lambda.LambdaFunctionARN, event),
    lifetimes: {
      ...{ minimum: cache.MinTTL, default: cache.DefaultTTL, maximum: cache.MaxTTL },
      errors: Object.fromEntries(
        config.CustomErrorResponses.Items.map((each: Printed) => [each.ErrorCode, each.ErrorCachingMinTTL]),
      ),
    },
    responseHeaders: {
      added: {
        "strict-transport-security": `max-age=${hsts.AccessControlMaxAgeSec}${hsts.IncludeSubdomains ? "; includeSubDomains" : ""}`,
      },
      removed: added.RemoveHeadersConfig.Items.map(({ Header }: Printed) => Header),
    },
    originHeaders: sent.HeadersConfig.Headers.Items,
    customHeaders: Object.fromEntries(
      origin.CustomHeaders.Items.map(({ HeaderName, HeaderValue }: Printed) => [HeaderName, HeaderValue]),
    ),
    isCold: false,
  };
}

let invocations = 0;

async function invoke(cloud: Cloud, arn: string, event: unknown): Promise<unknown> {
  const file = join(cloud.folder, `invocation-${invocations++}`);
  writeFileSync(file, JSON.stringify(event));
  const payload = ["--payload", `fileb://${file}`];
  const { FunctionError: error } = await cloud.aws("lambda", "invoke", "--function-name", arn, ...payload, file);
  const response = readFileSync(file, "utf8");
  if (error !== undefined) throw new Error(`${arn}: ${response}`);
  return JSON.parse(response);
}
