// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source code, with its templates
import { type Mutant, mutantsOf } from "./mutant.ts";

/** What is deployed, with tests that state the rule; the reviewed snapshot would notice each of these too. */
export const infraMutants: readonly Mutant[] = [
  ...mutantsOf("infra/service-stack.ts", "infra/template", [
    ["terminationProtection: stage.disposable !== true", "terminationProtection: false"],
  ]),
  ...mutantsOf("infra/service-stack.ts", "infra/storage infra/template", [
    ["retention: stage.logRetentionDays,", ""],
    [
      "removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,",
      "removalPolicy: RemovalPolicy.DESTROY,",
    ],
  ]),
  ...mutantsOf("infra/stage.ts", "infra/stage.test infra/template", [
    ['new URL(value).protocol === "https:"', "true"],
    ["issuer: httpsUrl,", "issuer: z.string(),"],
    ["jwksUri: httpsUrl,", "jwksUri: z.string(),"],
    [' || name === "local"', ""],
  ]),
  ...mutantsOf("infra/bucket.ts", "infra/storage infra/template", [
    ['Null: { "s3:if-none-match": "true" }', 'Null: { "s3:if-none-match": "false" }'],
    ['deny("WriteOnce", "s3:PutObject"', 'deny("WriteOnce", "s3:GetObject"'],
    ["limits.uploadUrlLifetimeSeconds * 1_000", "limits.uploadUrlLifetimeSeconds * 100_000"],
    ["blockPublicAccess: BlockPublicAccess.BLOCK_ALL,", ""],
    ["enforceSSL: true,", ""],
    ["minimumTLSVersion: 1.2,", ""],
    ["objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,", ""],
    [
      "removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,",
      "removalPolicy: RemovalPolicy.DESTROY,",
    ],
  ]),
  ...mutantsOf("infra/table.ts", "infra/storage", [
    ["deletionProtection: stage.disposable !== true,", ""],
    ["pointInTimeRecoveryEnabled: true", "pointInTimeRecoveryEnabled: false"],
    ["timeToLiveAttribute: attributes.timeToLive,", ""],
  ]),
  ...mutantsOf("infra/api.ts", "infra/api", [
    ["disableExecuteApiEndpoint: stage.domain !== undefined,", ""],
    ["securityPolicy: SecurityPolicy.TLS_1_2,", "securityPolicy: SecurityPolicy.TLS_1_0,"],
    [
      '    ip: "$context.identity.sourceIp",\n',
      '    ip: "$context.identity.sourceIp",\n    agent: "$context.identity.userAgent",\n',
    ],
    ["routeSettings(throttleOf(route, stage))", 'routeSettings(throttleOf("getFile", stage))'],
  ]),
  ...mutantsOf("infra/route-function.ts", "infra/template infra/route-function", [
    ["timeoutSeconds: 15", "timeoutSeconds: 60"],
    ["timeoutSeconds: 29", "timeoutSeconds: 60"],
    ['{ StringLike: { "s3:prefix": filesPrefix("*") } }', "{}"],
    ["this.allow(onTable, [table.tableArn]);", 'this.allow(["dynamodb:*"], [table.tableArn]);'],
  ]),
  ...mutantsOf("infra/route-function.ts", "infra/throttling infra/template", [
    ["...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),", ""],
  ]),
  ...mutantsOf("infra/throttling.ts", "infra/throttling", [
    [" / totalWeight", ""],
    ["getFile: 10", "getFile: 1"],
    ["if (concurrentExecutions < leastToReserveFrom) return undefined;", ""],
    ['"createSession", "revokeToken"', '"createSession"'],
  ]),
  ...mutantsOf("infra/pipeline-stack.ts", "infra/pipeline-stack", [
    ["      terminationProtection: true,\n", ""],
    ['ref: "refs/heads/main"', 'ref: "*"'],
    ["...(id !== undefined && { [`${host}:repository_id`]: id }),", ""],
    ["`repo:${repository}:${subject}`", "`repo:${repository}:*`"],
    ["/.github/workflows/deploy.yml@${ref}", "/.github/workflows/*@${ref}"],
    ['["deploy", "file-publishing"]', '["deploy", "file-publishing", "lookup"]'],
  ]),
  ...mutantsOf("infra/emulator-guard.ts", "infra/service-stack", [
    ["IDP_AUTH_EMULATOR_HOST", "IDP_EMULATOR_HOST", "refused at synth"],
  ]),
  ...mutantsOf("infra/bundle.ts", "infra/bundle", [["await chmod(path, 0o644);", "", "can be read"]]),
  ...mutantsOf("infra/compile-cache.ts", "test/long/security/compile-cache", [
    ["(found.mode & 0o077) === 0", "true"],
    ["found.uid === process.getuid() && ", ""],
    ["mode: 0o700", "mode: 0o755"],
    ["enableCompileCache(folder);", "enableCompileCache();"],
  ]),
  ...mutantsOf("infra/function-settings.ts", "infra/route-function", [
    ["stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED", "Tracing.ACTIVE", "tracing"],
  ]),
];
