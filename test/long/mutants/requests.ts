// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source code, with its templates
import { type Mutant, mutantsOf } from "./mutant.ts";

/** Conditions of writes, responses, files: what happens between a good caller and the table or the store. */
export const requestMutants: readonly Mutant[] = [
  // Conditions of writes
  ...mutantsOf("functions/table/projects/projects.ts", "test/api/requests/overtaken", [
    [
      '"ownerKey = :owner AND attribute_not_exists(deletedAt)',
      '"(attribute_exists(PK) OR ownerKey = :owner) AND attribute_not_exists(deletedAt)',
    ],
    // Only a project that has a live release gets this condition.
    [
      "condition: `${condition} AND currentRelease.id = :seen`",
      "condition: `(${condition} OR attribute_exists(PK)) AND currentRelease.id = :seen`",
    ],
  ]),
  ...mutantsOf(
    "functions/table/projects/projects.ts",
    "test/api/releases/publishing test/long/faults/races/publications",
    [
      [
        " AND currentRelease.id = :seen",
        " AND (attribute_exists(currentRelease) OR currentRelease.id = :seen)",
        "racing",
      ],
      [" AND attribute_not_exists(currentRelease)", "", "racing"],
    ],
  ),
  ...mutantsOf("functions/table/projects/projects.ts", "test/api/projects/project-creation", [
    [
      "#role = :dev AND projectCount < :limit",
      "#role = :dev AND (projectCount < :limit OR projectCount >= :limit)",
      "exactly 50",
    ],
    [", freeSlugCondition(ownerKey, now)", "", "gets the slug"],
  ]),
  ...mutantsOf("functions/table/projects/projects.ts", "test/api/projects/deletion", [
    [
      "ownerKey = :owner AND attribute_not_exists(deletedAt) AND",
      "ownerKey = :owner AND",
      "does not wait for a running",
    ],
    ["attribute_exists(sweptAt) AND attribute_not_exists(suspension)", "attribute_not_exists(suspension)", "closed"],
  ]),
  ...mutantsOf("functions/table/projects/projects.ts", "test/long/security/suspended", [
    [' AND attribute_not_exists(suspension)";\n  return { condition, values', '";\n  return { condition, values'],
    ["attribute_exists(sweptAt) AND attribute_not_exists(suspension)", "attribute_exists(sweptAt)"],
  ]),
  ...mutantsOf("functions/table/releases/open-releases.ts", "test/api/requests/overtaken", [
    [
      "attribute_not_exists(PK) OR releaseId = :id",
      "attribute_not_exists(PK) OR attribute_exists(PK) OR releaseId = :id",
      "manifest",
    ],
  ]),
  ...mutantsOf("functions/table/releases/open-releases.ts", "test/api/releases/releases", [
    [
      "attribute_not_exists(PK) OR #ttl <= :now",
      "attribute_not_exists(PK) OR (#ttl <= :now AND attribute_not_exists(PK))",
      "has expired",
    ],
    [
      "attribute_not_exists(PK) OR #ttl <= :now",
      "attribute_not_exists(PK) OR #ttl <= :now OR attribute_exists(PK)",
      "ten simultaneous calls",
    ],
  ]),
  ...mutantsOf("functions/table/releases/open-releases.ts", "test/long/faults/contention", [
    ['condition: "attribute_exists(#ttl)"', 'condition: "attribute_exists(PK)"', "found again goes live"],
  ]),
  ...mutantsOf("functions/table/releases/releases.ts", "test/long/faults/races/revocation", [
    ["token: activeTokenCheck(token, now),", "token: activeTokenCheck(undefined, now),"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/long/faults/races/revocation", [
    ["attribute_not_exists(revokedAt) AND expiresAt > :now", "expiresAt > :now"],
    ["attribute_not_exists(revokedAt) AND expiresAt > :now", "attribute_not_exists(revokedAt) AND expiresAt <> :now"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/requests/overtaken", [
    [
      'lastUsedAt === undefined ? "attribute_not_exists(lastUsedAt)"',
      'lastUsedAt === undefined ? "attribute_exists(PK)"',
      "first time",
    ],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/long/faults/races/limits", [
    ['"size(activeTokens) < :limit", ', '"size(activeTokens) <> :limit", ', "exactly 50"],
    ["...stillThere]", "]", "expired tokens"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/oauth/oauth-clients", [
    ["attribute_exists(PK) AND attribute_not_exists(spentAt)", "attribute_exists(PK)", "many exchange"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/long/faults/contention", [
    ["size(activeTokens) = :count", "size(activeTokens) >= :count", "revoking all"],
    ["attribute_not_exists(revokedAt) AND expiresAt = :seen", "expiresAt = :seen", "no replacement"],
  ]),
  ...mutantsOf("functions/table/accounts/accounts.ts", "test/api/accounts/sign-in", [
    ["attribute_exists(PK) AND #name = :nameBefore", "attribute_exists(PK) OR #name = :nameBefore", "never undoes"],
  ]),
  ...mutantsOf("functions/domain/accounts/accounts.ts", "test/api/accounts/sign-in", [
    ["changes, account.name)", "changes)", "never undoes"],
    ["...(follows && name !== null", "...(name !== null"],
    ["?? account.name === person.placeholderName", "?? true"],
    ["?? account.name === person.placeholderName", "?? false"],
    ["follows && name !== null &&", "follows &&"],
    [" || emailVerified !== account.emailVerified", ""],
    ["email !== null && isOtherEmail", "isOtherEmail"],
  ]),
  ...mutantsOf("contract/accounts.ts", "test/api/accounts/accounts", [
    ["z.refine((name) => !hasEmailForm(name)", "z.refine(() => true"],
  ]),
  ...mutantsOf(
    "functions/table/releases/releases.ts",
    "test/api/releases/publishing test/long/faults/races/publications",
    [
      ['names: { "#ttl": "ttl" }', 'names: { "#ttl": "another" }'],
      ["release.publishedAt === undefined ? [releaseClosed(slug, release)] : []", "[]"],
    ],
  ),
  ...mutantsOf("functions/table/releases/releases.ts", "test/long/faults/contention", [
    ['condition: "attribute_exists(PK)"', 'condition: "attribute_exists(PK) OR attribute_not_exists(PK)"', "given up"],
  ]),
  ...mutantsOf("functions/domain/releases/releases.ts", "test/api/releases", [
    ["held.get(sha256) !== size", "!held.has(sha256)"],
  ]),
  ...mutantsOf("functions/domain/releases/uploads.ts", "test/api/releases/uploads", [
    ["sizes.has(sha256) ? [] : [notInRelease(index)]", "[]"],
  ]),
  // What is tried again, and for how long
  ...mutantsOf("functions/table/retry-on-conflict.ts", "test/long/faults/races/limits", [
    ["maximumAttempts: 12", "maximumAttempts: 1"],
  ]),
  ...mutantsOf("functions/table/client.ts", "test/long/faults/table-client", [
    ["requestTimeout: 3_000", "requestTimeout: 30_000"],
    ["throwOnRequestTimeout: true", "throwOnRequestTimeout: false"],
    ["retry({ maximumAttempts: 2,", "retry({ maximumAttempts: 1,"],
    ["        client = undefined;\n", ""],
  ]),
  ...mutantsOf("functions/files/http-client.ts", "test/long/faults/store-client", [
    ["agent: onKeptConnection && keepAliveAgent(client)", "agent: keepAliveAgent(client)"],
    ["AbortSignal.timeout(attemptMilliseconds)", "AbortSignal.timeout(60_000)"],
    ["usualAttemptMilliseconds = 3_500", "usualAttemptMilliseconds = 4_000"],
    ['(statusCode === 412 && method === "PUT")', "false"],
    [' && method === "PUT")', ")"],
    ["[409, 429].includes(statusCode)", "[429].includes(statusCode)"],
  ]),
  // Requests and responses
  ...mutantsOf("functions/http/response.ts", "test/api/requests/overtaken", [
    ['      "cache-control": "no-store",\n', "", "cache"],
    [
      'new ServiceError("internal_error", { cause: error })',
      'new ServiceError("internal_error", { cause: error, detail: String(error) })',
      "unexpected error",
    ],
  ]),
  ...mutantsOf("functions/http/response.ts", "test/api/tokens/tokens", [
    ['...(route.credential !== "none" && { "cache-control": "no-store" }),', ""],
  ]),
  ...mutantsOf("functions/http/request.ts", "test/api/requests/requests", [
    ["bytes.byteLength > limits.jsonBodyBytes", "bytes.byteLength > limits.jsonBodyBytes + 1", "largest size"],
    ["bytes.byteLength > limits.jsonBodyBytes", "bytes.byteLength >= limits.jsonBodyBytes", "largest size"],
    [' || encoding.toLowerCase() !== "identity"', "", "is refused and changes nothing"],
    ["fatal: true", "fatal: false", "is refused and changes nothing"],
  ]),
  ...mutantsOf("functions/http/shell.ts", "local/http-server", [
    ['(method === "HEAD" && route.method === "GET")', "false"],
    ['if (method === "OPTIONS") return { statusCode: 204 };', ""],
    ['extraHeaders["allow"] = methodsOf(route).join(", ");', ""],
  ]),
  ...mutantsOf("functions/http/log.ts", "functions/http/log", [
    ['.replace(/pat_[0-9A-Za-z]*/g, "pat_…")', ""],
    ['.replace(/eyJ[\\w-]*(\\.[\\w-]*)*/g, "eyJ…")', ""],
    ['.replace(/(X-Amz-(?:Security-Token|Signature))=[^\\s&"]+/gi, "$1=…")', ""],
    ['redacted(stack ?? "")', "stack"],
  ]),
  ...mutantsOf(
    "functions/domain/releases/publishing.ts",
    "test/api/releases/publishing test/long/faults/races/publications",
    [
      ["  assertCurrent(project, expectCurrent);\n", "", "another release is live"],
      ["  await assertComplete(project, release);\n", "", "missing"],
    ],
  ),
  ...mutantsOf("contract/manifest-rules.ts", "test/api/releases/release-refusals", [
    ["> limits.bytesPerRelease) {", "> limits.bytesPerRelease + 1) {", "byte more|refuses"],
    ["> limits.bytesPerRelease) {", ">= limits.bytesPerRelease) {", "takes"],
  ]),
  ...mutantsOf("contract/manifest-rules.ts", "contract/manifest-rules", [
    ["Buffer.byteLength(path) > limits.pathBytes", "Buffer.byteLength(path) >= limits.pathBytes"],
    ["Buffer.byteLength(path) > limits.pathBytes", "Buffer.byteLength(path) > limits.pathBytes + 1"],
  ]),
  ...mutantsOf("contract/limits.ts", "test/documents/documents", [
    ["filesPerRelease: 20_000", "filesPerRelease: 19_999"],
    ["filesPerRelease: 20_000", "filesPerRelease: 20_001"],
    ["bytesPerFile: 500 * mib", "bytesPerFile: 500 * mib - 1"],
    ["bytesPerFile: 500 * mib", "bytesPerFile: 500 * mib + 1"],
  ]),
  // Files
  ...mutantsOf("functions/domain/releases/uploads.ts", "test/api/releases/uploads", [
    ["Math.min(limits.uploadUrlLifetimeSeconds, left)", "Math.min(limits.uploadUrlLifetimeSeconds * 100, left)"],
  ]),
  ...mutantsOf("functions/domain/releases/live-files.ts", "test/api/files/live-files", [
    ["readVerified(key, sha256)", 'readVerified(key, sha256).catch(() => Buffer.from("evil"))'],
    ["downloadLifetimeSeconds = 900", "downloadLifetimeSeconds = 9_000"],
    ['isDocument ? "attachment" : "inline"', '"inline"'],
  ]),
  ...mutantsOf("functions/http/file-response.ts", "test/api/files/live-files", [
    ['      "content-security-policy": sandbox,\n', "", "sandboxed"],
    ['      "x-content-type-options": "nosniff",\n', "", "sandboxed"],
  ]),
  ...mutantsOf("functions/files/store.ts", "functions/files/store", [['hash("sha256", bytes) !== sha256', "false"]]),
  ...mutantsOf("functions/files/store.ts", "test/api/releases/uploads", [['    "if-none-match": "*",\n', ""]]),
  ...mutantsOf("functions/files/store.ts", "test/api/files/live-files", [
    ['...(object.hasOrigin && { "x-origin": "1" })', "", "other origins"],
  ]),
  ...mutantsOf("functions/files/manifests.ts", "functions/files/store", [["manifest.digest !== digest", "false"]]),
  ...mutantsOf("functions/files/manifests.ts", "test/long/scale/kept-manifests", [
    ["keptTotal <= keptBytes && kept.size <= keptManifests", "true"],
    ["keptTotal <= keptBytes && ", ""],
    ["kept.size <= keptManifests", "true"],
  ]),
  ...mutantsOf("functions/files/presence.ts", "functions/files/presence", [
    ["held.get(sha256) !== size", "!held.has(sha256)"],
    ["Math.max(countUpTo(wanted, last), 1)", "countUpTo(wanted, last) + 1"],
  ]),
  // The servers of one machine
  ...mutantsOf("local/identity-provider/start-secret.ts", "test/local/web-pages", [
    ["mode: 0o600,", "mode: 0o644,"],
    ["await chmod(folder, 0o700);", "await chmod(folder, 0o755);"],
  ]),
  ...mutantsOf("local/gateway/foreign-request.ts", "local/foreign-request", [
    ["ownNames.includes(hostName) || (published && isThisMachine(hostName))", "isThisMachine(hostName)"],
    ["(published && isThisMachine(hostName))", "false"],
    ['protocol === "http:" && ', ""],
    [" && ports.includes(Number(port || 80))", ""],
    ["if (!isThisMachine(hostNameOf(`http://${host}`)))", "if (false)"],
  ]),
  ...mutantsOf("local/gateway/http-server.ts", "test/local/web-pages", [
    ['published: route?.name === "getFile"', "published: true"],
    ['published: route?.name === "getFile"', "published: false"],
  ]),
  ...mutantsOf("local/store/object-store.ts", "test/local/web-pages", [
    ['published: asked === "GET" || asked === "HEAD"', "published: true"],
  ]),
  ...mutantsOf("local/identity-provider/sign-in-endpoints.ts", "local/identity-provider", [
    [
      "origin === new URL(`http://${dashboardHostname}:${port}`).origin",
      "new URL(url).hostname === dashboardHostname",
      "no redirect for|may read responses",
    ],
    [' && username === ""', "", "no redirect for"],
  ]),
];
