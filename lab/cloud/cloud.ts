import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setGlobalProxyFromEnv } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { cors } from "../../contract/api/cors.ts";
import type { StageInput } from "../../infra/settings/stage.ts";
import { freePort } from "../../local/table/dynamodb-engine.ts";
import { root } from "../../test/support/documents.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type IdentityProvider, startIdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { createCertificate } from "../../test/support/network/certificate.ts";
import { startTunnelProxy } from "../../test/support/network/tunnel-proxy.ts";
import { hasProgram, pythonTool, type Tool } from "../foreign-tools.ts";

/*
 * MiniStack, a model of AWS that is not ours, on which the real CDK deploys the real stacks:
 * - It checks signatures, and the policies of users, roles, buckets and functions (`AUTH`). CloudFormation's own role is not limited by it.
 * - It listens on loopback with TLS. A proxy connects AWS's names of APIs and buckets to it, so that the
 *   command line and the tests use the URL that the deployment has printed.
 * - Its functions are processes of this Node, and what they send to AWS's names goes to it. A presigned URL would then be of another host,
 *   so `S3_ENDPOINT` names its store: they have its environment too. `GAMES_STORE_ENDPOINT` is a name of AWS's, because the client of CloudFront's
 *   store cannot put the account's number before an address.
 * - `GET /health` of every API is its own.
 * - Resources that its CloudFormation cannot make are taken out of the templates: lab/cloud/unsupported.ts.
 */

// Without cryptography its Cognito signs no ID token.
const ministack = pythonTool("ministack==1.5.33", "ministack", "cryptography==50.0.2");

/** MiniStack, or why no test can deploy to it here. */
export const cloudTool: Tool =
  ministack.missing === undefined && !hasProgram("aws")
    ? { missing: "The AWS command line is not on this machine, so nothing was deployed to a foreign cloud" }
    : ministack;

export const account = "111111111111";

/** The URL of the API that a deployment has printed. */
export const apiIn = (printed: string): string => /^ {2}svc login --api (\S+)$/m.exec(printed)?.[1] ?? "";

/** Prints of a program. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Claims = Readonly<Record<string, unknown>>;

export type Cloud = Awaited<ReturnType<typeof startCloud>>;

/** Starts it with an empty account, and an identity provider that its functions reach. */
export async function startCloud(region = "us-east-1") {
  const folder = mkdtempSync(join(tmpdir(), "svc-cloud-"));
  const file = (name: string) => join(folder, name);
  const certificate = createCertificate(
    "localhost",
    `${account}.localhost`,
    "*.cloudfront.net",
    "*.example.com",
    "*.games.example.net",
    ...["execute-api", "s3"].map((service) => `*.${service}.${region}.amazonaws.com`),
  );
  writeFileSync(file("certificate.pem"), certificate.cert);
  writeFileSync(file("key.pem"), certificate.key, { mode: 0o600 });
  const [port, proxy, provider] = await Promise.all([
    freePort(),
    startTunnelProxy(),
    startIdentityProvider("svc-test", certificate),
  ]);
  const hosts = new Map<string, number>();
  proxy.target = (host) => [...hosts].find(([end]) => host.endsWith(end))?.[1] ?? port;
  const endpoint = `https://localhost:${port}`;
  const trust = { NODE_EXTRA_CA_CERTS: file("certificate.pem"), AWS_CA_BUNDLE: file("certificate.pem") };
  const GAMES_STORE_ENDPOINT = `https://store.${region}.amazonaws.com`;
  const server = startServer(folder, port, region, { ...trust, S3_ENDPOINT: endpoint, GAMES_STORE_ENDPOINT });
  mkdirSync(file("bin"));
  writeCdk(file("bin/cdk"), root, file("left-out"));
  const env = {
    PATH: [file("bin"), join(root, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(
      delimiter,
    ),
    HOME: folder,
    ...trust,
    AWS_ACCESS_KEY_ID: account,
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL: endpoint,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PAGER: "",
  };
  const stopUsingProxy = useProxy(proxy.url(), certificate.cert);
  const log = () => readFileSync(file("log"), "utf8");

  const running = new Set<ChildProcess>();
  /** Runs a program in the repository's folder, or in another one, with the account's credentials. */
  const run = async (
    program: string,
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
    cwd = root,
  ): Promise<Printed> => {
    const child = spawn(program, args, { cwd, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code, stdout, stderr };
  };
  /** @throws Error with what the command line of AWS says */
  const aws = async (...args: readonly string[]) => {
    // The command line would take SQS of us-east-1 for an endpoint of its own.
    const { code, stdout, stderr } = await run("aws", [...args, "--output", "json", "--endpoint-url", endpoint]);
    if (code !== 0) throw new Error(`aws ${args.join(" ")}: ${stderr}`);
    return stdout.trim() === "" ? undefined : JSON.parse(stdout);
  };
  const writeStages = (name: string, changes: Partial<StageInput>) =>
    writeFileSync(file("stages.json"), JSON.stringify({ [name]: { ...settings(provider, region), ...changes } }));
  // It loads for ten seconds, and for a minute on a machine that does much else.
  await eventually(() => aws("sts", "get-caller-identity"), 180_000).catch((error) => {
    throw new Error(`MiniStack does not respond: ${error}\n${log()}`);
  });
  return {
    endpoint,
    region,
    folder,
    provider,
    env,
    stagesFile: file("stages.json"),
    /** Writes that file, for programs that are called without `deploy`. */
    writeStages,
    /** Lets a program reach the URLs of APIs and buckets. */
    clientEnv: {
      AWS_ENDPOINT_URL_S3: `https://s3.${region}.amazonaws.com`,
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: proxy.url(),
      NO_PROXY: "localhost,127.0.0.1",
      NODE_EXTRA_CA_CERTS: file("certificate.pem"),
    },
    certificate,
    /** Lets the proxy lead to another port of this machine for all hosts whose names end in this. */
    route: (end: string, to: number) => void hosts.set(end, to),
    /** Outputs of a stack by their names. */
    outputsOf: async (stack: string): Promise<ReadonlyMap<string, string>> => {
      const { Stacks: stacks } = await aws("cloudformation", "describe-stacks", "--stack-name", stack);
      return new Map(
        stacks[0].Outputs.map((output: Record<string, string>) => [output["OutputKey"], output["OutputValue"]]),
      );
    },
    /** Credentials of a new user who may do everything, because MiniStack takes no presigned URL of the account's own. */
    createUser: async (name: string) => {
      const user = ["--user-name", name];
      const everything = { Effect: "Allow", Action: "*", Resource: "*" };
      const policy = JSON.stringify({ Version: "2012-10-17", Statement: [everything] });
      await aws("iam", "create-user", ...user);
      await aws("iam", "put-user-policy", ...user, "--policy-name", "everything", "--policy-document", policy);
      const { AccessKey: key } = await aws("iam", "create-access-key", ...user);
      return { accessKeyId: key.AccessKeyId as string, secretAccessKey: key.SecretAccessKey as string };
    },
    /** Service as actors need it. */
    serviceAt: (api: string) => ({ api, idToken: async (claims: Claims) => provider.idToken({ claims }) }),
    run,
    aws,
    log,
    /** Lets the CDK of a copy of the repository leave out what MiniStack cannot make. */
    prepareCopy: (copy: string) => writeCdk(join(copy, "node_modules/.bin/cdk"), copy, file("left-out")),
    /** The names of resources that deployments have left out. */
    leftOut: () => readFileSync(file("left-out"), "utf8").trim().split("\n"),
    /**
     * `npm run deploy -- NAME --yes` with these settings of the stage.
     *
     * @param project the folder of another version of the repository
     * @returns what it printed
     * @throws Error with that if it fails
     */
    deploy: async (name: string, changes: Partial<StageInput> = {}, project?: string): Promise<string> => {
      writeStages(name, changes);
      const { code, stdout, stderr } = await run(
        "node",
        ["programs/deploy.ts", name, "--yes", "--stages", file("stages.json")],
        {},
        project,
      );
      if (code !== 0) throw new Error(`npm run deploy: ${stdout.slice(-6_000)}\n${stderr}\n${log().slice(-3_000)}`);
      await setCors(aws);
      return stdout;
    },
    stop: async () => {
      stopUsingProxy();
      for (const child of running) child.kill("SIGKILL");
      await stopServer(server);
      await Promise.all([proxy.stop(), provider.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The three answers that a stage needs. */
function settings({ issuer, audience, jwksUri }: IdentityProvider, region: string): StageInput {
  const identityProvider = { issuer, audience, jwksUri };
  return { account, region, identityProvider, alarmEmail: "alarms@example.com" };
}

function startServer(folder: string, port: number, region: string, env: Record<string, string>): ChildProcess {
  mkdirSync(join(folder, "tmp"));
  writeFileSync(join(folder, "log"), "");
  // It ends with this process too, however that ends: then the pipe of its standard input does.
  const program = `"$0" < /dev/null >> "${join(folder, "log")}" 2>&1 & cat; kill -KILL 0`;
  return spawn("sh", ["-c", program, cloudTool.program ?? ""], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {
      // Its functions run on the Node that runs this.
      PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
      TMPDIR: join(folder, "tmp"),
      HOME: folder,
      ...env,
      AUTH: "true",
      BIND_HOST: "127.0.0.1",
      // Its broker would listen on a port of its own.
      IOT_MTLS_ENABLED: "0",
      GATEWAY_PORT: String(port),
      MINISTACK_ACCOUNT_ID: account,
      MINISTACK_REGION: region,
      // The end of the host names that it gives to APIs.
      MINISTACK_HOST: `${region}.amazonaws.com`,
      USE_SSL: "1",
      MINISTACK_SSL_CERT: join(folder, "certificate.pem"),
      MINISTACK_SSL_KEY: join(folder, "key.pem"),
    },
  });
}

/** Stops it with its functions, which are of its process group. */
async function stopServer(server: ChildProcess): Promise<void> {
  const closed = once(server, "close");
  process.kill(-(server.pid ?? 0), "SIGKILL");
  await closed;
}

/**
 * Sets what browsers' pages may read of the API again: its CloudFormation keeps these settings under names that its gateway does not
 * read.
 */
async function setCors(aws: (...args: readonly string[]) => Promise<{ Items: { ApiId: string }[] }>): Promise<void> {
  const { Items: apis } = await aws("apigatewayv2", "get-apis");
  const settings = JSON.stringify({
    AllowOrigins: [cors.allowOrigin],
    AllowMethods: cors.allowMethods,
    AllowHeaders: cors.allowHeaders,
    ExposeHeaders: cors.exposeHeaders,
    MaxAge: cors.maxAgeSeconds,
  });
  for (const { ApiId } of apis)
    await aws("apigatewayv2", "update-api", "--api-id", ApiId, "--cors-configuration", settings);
}

/** Writes a program in place of the CDK of a project, whose syntheses leave out what MiniStack cannot make. */
function writeCdk(file: string, project: string, leftOut: string): void {
  const cdk = join(project, "node_modules/aws-cdk/bin/cdk");
  const script = `node "${cdk}" "$@" || exit\n[ "$1" != synth ] || exec node "${join(import.meta.dirname, "unsupported.ts")}" "$@" > "${leftOut}"`;
  rmSync(file, { force: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/**
 * Lets `fetch` of this process reach the URLs of APIs.
 *
 * @returns what ends it. With two certificates of one subject a process would compare the next cloud's with the first alone.
 */
function useProxy(url: string, certificate: string): () => void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  const stop = setGlobalProxyFromEnv({ https_proxy: url, no_proxy: "localhost,127.0.0.1" });
  return () => {
    stop();
    setDefaultCACertificates(before);
  };
}
