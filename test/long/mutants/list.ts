/** One replacement in a source file that a test must notice. */
export interface Mutant {
  readonly file: string;
  /** Is in the file exactly once. */
  readonly original: string;
  readonly replacement: string;
  /** The paths of the tests that should fail, as jest takes them. */
  readonly tests: string;
}

const api = "test/api";
const infra = "infra";

/** The places where a removed check was once noticed by no test, or only by a longer suite, and others like them. */
export const mutants: readonly Mutant[] = [
  // Who gets in
  {
    file: "functions/table/keys.ts",
    original: "JSON.stringify([issuer, uid])",
    replacement: "JSON.stringify([uid])",
    tests: "functions/table/keys functions/domain test/api/accounts",
  },
  {
    file: "functions/domain/authentication.ts",
    original: "if (!isOfConfiguredIssuer(account))",
    replacement: "if (false)",
    tests: `${api}/tokens ${api}/accounts`,
  },
  {
    file: "functions/domain/authentication.ts",
    original: "|| !rawToken.matches(token.hash)",
    replacement: "",
    tests: `${api}/tokens`,
  },
  {
    file: "functions/domain/authentication.ts",
    original: "token.expiresAt <= now.toISOString()",
    replacement: "false",
    tests: `${api}/tokens`,
  },
  {
    file: "functions/domain/authentication.ts",
    original: "if (token.revokedAt !== undefined)",
    replacement: "if (false)",
    tests: `${api}/tokens`,
  },
  {
    file: "functions/domain/authorization.ts",
    original: 'if (route.credential === "idToken" && token !== undefined)',
    replacement: "if (false)",
    tests: `${api}/tokens ${api}/accounts`,
  },
  {
    file: "functions/domain/authorization.ts",
    original: 'route.role === "dev" && account.role !== "dev"',
    replacement: "false",
    tests: `${api}/tokens ${api}/projects`,
  },
  {
    file: "functions/domain/authorization.ts",
    original: "!token.scopes.includes(route.scope)",
    replacement: "false",
    tests: `${api}/projects ${api}/releases`,
  },
  {
    file: "functions/domain/authorization.ts",
    original: 'token?.projects && !token.projects.includes(slug ?? "")',
    replacement: "false",
    tests: `${api}/tokens ${api}/projects`,
  },
  {
    file: "functions/domain/authorization.ts",
    original: "project.ownerKey !== account.key",
    replacement: "false",
    tests: `${api}/projects ${api}/releases`,
  },
  {
    file: "functions/identity/signing-keys.ts",
    original: "if (bytes > maximumBytes)",
    replacement: "if (false)",
    tests: "functions/identity",
  },
  {
    file: "functions/identity/signing-keys.ts",
    original: "if (response.statusCode !== 200)",
    replacement: "if (false)",
    tests: "functions/identity",
  },
  // Conditions of writes
  {
    file: "functions/table/projects.ts",
    original: 'condition: "ownerKey = :owner", values',
    replacement: 'condition: "attribute_exists(PK) OR ownerKey = :owner", values',
    tests: `${api}/releases ${api}/projects test/long/faults/contention`,
  },
  {
    file: "functions/table/projects.ts",
    original: " AND currentRelease.id = :seen",
    replacement: " AND (attribute_exists(currentRelease) OR currentRelease.id = :seen)",
    tests: `${api}/releases test/long/faults/contention`,
  },
  {
    file: "functions/table/projects.ts",
    original: " AND attribute_not_exists(currentRelease)",
    replacement: "",
    tests: `${api}/releases test/long/faults/contention`,
  },
  {
    file: "functions/table/releases.ts",
    original: "token: activeTokenCheck(token, now),",
    replacement: "token: activeTokenCheck(undefined, now),",
    tests: `${api}/tokens ${api}/releases`,
  },
  {
    file: "functions/table/tokens.ts",
    original: "attribute_exists(PK) AND attribute_not_exists(lastUsedAt)",
    replacement: "attribute_exists(PK)",
    tests: `${api}/tokens test/long/faults/contention`,
  },
  {
    file: "functions/table/retry-on-conflict.ts",
    original: "maximumAttempts: 12",
    replacement: "maximumAttempts: 1",
    tests: `${api}/releases/races`,
  },
  // Responses
  {
    file: "functions/http/response.ts",
    original: '      "cache-control": "no-store",\n',
    replacement: "",
    tests: `${api}/requests ${api}/tokens`,
  },
  {
    file: "functions/http/request.ts",
    original: "bytes.byteLength > limits.jsonBodyBytes",
    replacement: "bytes.byteLength > limits.jsonBodyBytes + 1",
    tests: `${api}/requests`,
  },
  // Files
  {
    file: "functions/domain/uploads.ts",
    original: "const lifetime = limits.uploadUrlLifetimeSeconds;",
    replacement: "const lifetime = limits.uploadUrlLifetimeSeconds * 100;",
    tests: `${api}/releases/uploads`,
  },
  {
    file: "functions/domain/live-files.ts",
    original: "readVerified(key, sha256)",
    replacement: 'readVerified(key, sha256).catch(() => Buffer.from("evil"))',
    tests: `${api}/files`,
  },
  {
    file: "functions/files/store.ts",
    original: 'hash("sha256", bytes) !== sha256',
    replacement: "false",
    tests: "functions/files",
  },
  {
    file: "functions/files/store.ts",
    original: '    "if-none-match": "*",\n',
    replacement: "",
    tests: `${api}/releases/uploads`,
  },
  {
    file: "functions/files/store.ts",
    original: '...(object.hasOrigin && { "x-origin": "1" })',
    replacement: "",
    tests: `${api}/files`,
  },
  {
    file: "functions/files/manifests.ts",
    original: "bytes <= keptBytes && kept.size <= keptManifests",
    replacement: "true",
    tests: "functions/files",
  },
  {
    file: "functions/files/manifests.ts",
    original: "manifest.digest !== digest",
    replacement: "false",
    tests: "functions/files",
  },
  {
    file: "functions/files/http-client.ts",
    original: '(statusCode === 412 && method === "PUT")',
    replacement: "false",
    tests: "functions/files",
  },
  // The stack
  {
    file: "infra/service-stack.ts",
    original: "terminationProtection: stage.disposable !== true",
    replacement: "terminationProtection: false",
    tests: `${infra}/service-stack`,
  },
  {
    file: "infra/stage.ts",
    original: 'new URL(value).protocol === "https:"',
    replacement: "true",
    tests: `${infra}/stage`,
  },
  {
    file: "infra/bucket.ts",
    original: 'Null: { "s3:if-none-match": "true" }',
    replacement: 'Null: { "s3:if-none-match": "false" }',
    tests: `${infra}/storage`,
  },
  {
    file: "infra/pipeline-stack.ts",
    original: 'ref: "refs/heads/main"',
    replacement: 'ref: "*"',
    tests: `${infra}/pipeline-stack`,
  },
  { file: "infra/throttling.ts", original: " / totalWeight", replacement: "", tests: `${infra}/throttling` },
  { file: "infra/bundle.ts", original: "await chmod(path, 0o644);", replacement: "", tests: `${infra}/bundle` },
  {
    file: "infra/compile-cache.ts",
    original: "(found.mode & 0o077) === 0",
    replacement: "true",
    tests: `${infra}/compile-cache`,
  },
  // The command line
  {
    file: "cli/src/credential-file.ts",
    original: "fs.openSync(temporary, flags, 0o600)",
    replacement: "fs.openSync(temporary, flags, 0o666)",
    tests: "cli/src test/cli/session test/long/faults/killed-login",
  },
  {
    file: "cli/src/credential-file.ts",
    original: "    if (!status.isFile()) throw notAFile(file);\n",
    replacement: "",
    tests: "cli/src test/cli",
  },
  {
    file: "cli/src/publish/hash-cache.ts",
    original: "size === knownSize && mtimeMs === knownMtime && ctimeMs === knownCtime",
    replacement: "size === knownSize && mtimeMs === knownMtime",
    tests: "cli/src/publish",
  },
  { file: "cli/src/publish/ignore-rules.ts", original: '  "*.tfvars",\n', replacement: "", tests: "cli/src/publish" },
  {
    file: "cli/src/publish/upload.ts",
    original: " || status === 412",
    replacement: "",
    tests: "test/cli cli/src/publish",
  },
];
