/** A fault that would lose a file, leave a right, spend money or leak a secret, and the test that must notice it. */
export interface Fault {
  /** Sentence that says what would go wrong. */
  readonly name: string;
  readonly file: string;
  /** Stands once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test file, and a part of the full name of the test in it that fails. */
  readonly test: string;
  readonly named: string;
}

type Row = readonly [name: string, find: string, replace: string, named: string];

/** Faults of one file that one test file notices. */
function faults(file: string, test: string, rows: readonly Row[]): Fault[] {
  return rows.map(([name, find, replace, named]) => ({ name, file, find, replace, test, named }));
}

/** Noticed by tests that load the changed file themselves: tried together in one process. */
export const loadedFaults: readonly Fault[] = [
  ...faults("functions/files/unpacking.ts", "functions/files/unpacking.test.ts", [
    [
      "a delta has a second frame, which some browsers unpack too",
      "decoder.bytesWritten === packedBytes ? bytes",
      "true ? bytes",
      "with a second frame",
    ],
    ["a copy gives the beginning of the file alone", "bytes === size ?", "bytes !== undefined ?", "of a shorter file"],
    [
      "a bomb is unpacked to its end",
      "if (bytes > maxBytes) throw new TooLarge();",
      "",
      "ends at the size of the file",
    ],
    [
      "a bomb in a pack is unpacked to its end",
      "maxOutputLength: Math.max(size, 1)",
      "maxOutputLength: 2 ** 30",
      "of a small file that is a bomb",
    ],
    [
      "a copy in a pack has bytes behind its end",
      "engine.bytesWritten === copy.length && buffer",
      "buffer",
      "with bytes behind its end",
    ],
    [
      "a dictionary means something else to a browser",
      "!(bytes.length >= 4 && bytes.readUInt32LE(0) === formattedDictionary)",
      "true",
      "has no dictionary that zlib takes",
    ],
  ]),
  ...faults("functions/domain/accounts/developers.ts", "functions/domain/accounts/developers.test.ts", [
    ["an address that nobody has verified makes a developer", "emailVerified ? email", "true ? email", "may not"],
  ]),
  ...faults("contract/api/login/authorization-request.ts", "contract/api/login/authorization-request.test.ts", [
    [
      "an authorization code goes to another host",
      "redirectUri === undefined || !isLoopbackRedirect(redirectUri)",
      "redirectUri === undefined",
      "with a redirect URI elsewhere",
    ],
  ]),
  ...faults("functions/domain/authorization.ts", "functions/domain/authorization.test.ts", [
    [
      "a token changes what only its owner's session may",
      'route.credential === "idToken" && token !== undefined',
      "false",
      "a token if a session is needed",
    ],
    [
      "a token without the scope acts",
      "token !== undefined && route.scope !== undefined",
      "false",
      "a token with another scope",
    ],
    [
      "a suspended account acts",
      'account.suspension && suspended !== "allowed"',
      "false",
      "decides on a suspended account",
    ],
    ["a user acts as developer", 'role === "dev" && account.role !== "dev"', "false", "decides on a user"],
    [
      "a CI job's token does what is not for jobs",
      'token?.job && route.ciJobs !== "allowed"',
      "false",
      "a CI job's token if no project is named",
    ],
    [
      "a token acts outside of its projects",
      'narrowed && !narrowed.includes(place.slug ?? "")',
      "false",
      "a token for another project",
    ],
    [
      "a token acts on a project whose slug begins with its own project's",
      'narrowed.includes(place.slug ?? "")',
      'narrowed.some((slug) => (place.slug ?? "").startsWith(slug))',
      "one for slugs alike",
    ],
    [
      "a stranger acts on a project",
      "return roleIn(project, account.key) !== undefined;",
      "return true;",
      "decides on somebody else",
    ],
    [
      "a publisher does what is the admins'",
      "if (includesRole(role, needed)) return;",
      "if (role) return;",
      "a publisher where an admin is",
    ],
    [
      "a viewer publishes and rolls back",
      "if (includesRole(role, needed)) return;",
      'if (includesRole(role, needed) || needed === "publisher") return;',
      "a viewer if a publisher is needed",
    ],
    ["a deleted project is changed", 'route.deletedProject !== "allowed"', "false", "its owner when it is deleted"],
    [
      "a suspended project is changed",
      'route.method !== "GET" && route.suspended !== "allowed"',
      "false",
      "its owner when it is suspended",
    ],
  ]),
  ...faults("functions/domain/authorization.ts", "functions/domain/authorization.test.ts", [
    [
      "where a person makes live, a token takes the game offline",
      'else if (demand === "session") throw new ServiceError("person_required");',
      "",
      "where a person makes live",
    ],
    [
      "where a person makes live, everybody does",
      'if (!project.personMakesLive || demand === undefined || demand === "free") return;',
      "return;",
      "where a person makes live",
    ],
  ]),
  ...faults("functions/domain/sign-in-age.ts", "functions/domain/authorization.test.ts", [
    [
      "an old sign-in counts as recent: minutes are compared with seconds",
      "now.getTime() / 1_000 - authTime <= seconds",
      "now.getTime() / 60_000 - authTime <= seconds",
      "a stage's limit",
    ],
    [
      "where a person makes live, a stolen ID token of any age does",
      "if (isDemanded && isAtMost(signInSeconds, authTime, now)) return;",
      "if (isDemanded) return;",
      "where a person makes live",
    ],
    [
      "a sign-in without a time is a recent one",
      "authTime !== null && ",
      "authTime === null || ",
      "where a person makes",
    ],
    [
      "where a person makes live, a sign-in that is weaker than the stage demands does",
      'acrValues.length === 0 || acrValues.includes(claims["acr"] as string)',
      "acrValues.length >= 0",
      "where a person makes live",
    ],
  ]),
  ...faults("functions/domain/projects/state.ts", "functions/domain/authorization.test.ts", [
    [
      "an invitation is accepted after it has expired",
      "all.filter(({ expiresAt }) => expiresAt > now.toISOString())",
      "all.filter(() => true)",
      "anybody when it has expired",
    ],
    [
      "an invitation for one person is another's too",
      "only === undefined || only === key",
      "only === undefined || only !== undefined",
      "decides on another",
    ],
    [
      "a role below the needed one is enough",
      "ranks.indexOf(role) >= ranks.indexOf(needed)",
      "ranks.indexOf(role) >= 0",
      "a publisher where an admin is",
    ],
  ]),
  ...faults("functions/domain/publishers/matching.ts", "functions/domain/publishers/matching.test.ts", [
    [
      "a repository that got a trusted one's old name publishes",
      'claims["repository_id"] === jobs.repositoryId',
      "jobs !== undefined",
      "another repository that got the old name",
    ],
    [
      "a repository that its owner gave away publishes",
      'claims["repository_owner_id"] === jobs.repositoryOwnerId',
      "jobs !== undefined",
      "the repository after its owner gave it away",
    ],
    [
      "a reusable workflow of another repository publishes",
      'isWorkflow(claims["job_workflow_ref"], claims, workflow)',
      "workflow !== undefined",
      "a reusable workflow of another repository",
    ],
    [
      "a fork's pull request publishes",
      'events.some((event) => event === claims["event_name"])',
      "events.length > 0",
      "a fork's pull request by pull_request_target",
    ],
    [
      "a branch that everybody may push to publishes",
      '!refProtected || isProtected === "true" || isProtected === true',
      "true",
      "another branch, which is not protected matches no publisher of GitHub",
    ],
    [
      "a workflow whose name begins with the trusted one's publishes",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template
      "reference.slice(length) === `${path}@${ref}`",
      "reference.slice(length).startsWith(path)",
      "begins with that of the trusted one",
    ],
    [
      "GitLab: a project that moved to another group publishes",
      'claims["namespace_id"] === jobs.namespaceId',
      "jobs !== undefined",
      "after it moved to another group",
    ],
    [
      "GitLab: a pipeline that anybody with a trigger token starts publishes",
      "pipelineSources.includes(source)",
      "source !== undefined",
      "a pipeline of a trigger token",
    ],
    [
      "GitLab: a merge request's ref publishes",
      'ref_type: type }) => type === "branch" || type === "tag"',
      "ref_type: type }) => type !== undefined",
      "a merge request's ref, whatever started it",
    ],
    [
      "a job of another issuer publishes with the same claims",
      "provider === job.provider && issuer === job.issuer",
      "provider === job.provider",
      "one of another issuer",
    ],
  ]),
  ...faults("functions/identity/job-token.ts", "functions/identity/job-token.test.ts", [
    [
      "a job's identity token for several services is taken, which each of them could exchange",
      "[aud].flat().length !== 1",
      "[aud].flat().length < 1",
      "with several audiences",
    ],
    [
      "a job's identity token without an id is taken, which can be exchanged again",
      '!isText(jti, limits.claimLength) || jti === ""',
      "jti === limits",
      "without jti",
    ],
    [
      "a job's identity token of an issuer whose name begins like GitHub's is taken",
      "issuers.includes(issuer)",
      "issuers.some((known) => String(issuer).startsWith(String(known)))",
      "of an issuer that looks alike",
    ],
    [
      "a job's identity token is taken years later",
      "!(exp - iat <= longestLifetimeSeconds)",
      "exp < iat",
      "is valid for for ever is refused",
    ],
  ]),
  ...faults("functions/identity/id-token-rules.ts", "functions/identity/id-token.test.ts", [
    [
      "an ID token is valid for a thousand times its lifetime",
      "exp - iat > environment.idpTokenLifetimeSeconds()",
      "exp - iat > environment.idpTokenLifetimeSeconds() * 1_000",
      "a lifetime of more than 24 hours",
    ],
  ]),
  ...faults("functions/identity/id-token-rules.ts", "functions/identity/id-token-rules.test.ts", [
    [
      "an ID token that others may have too signs in",
      "!audiences(aud).every(isTrustedAudience)",
      "audiences(aud).length === 0",
      "other audiences that the stage trusts",
    ],
    [
      "an ID token that another application was given signs in",
      "azp !== undefined && !isOurApplication(azp)",
      "azp === null",
      "another application that the stage authorises",
    ],
    [
      "a person of another tenant, who may have the same uid, signs in",
      "tenantOf(firebase) !== environment.idpTenant()",
      "tenantOf(firebase) === null",
      "the Firebase tenant of the stage, and no other",
    ],
    [
      "an access token signs in as an ID token",
      'use !== undefined && use !== "id"',
      'use === "never"',
      "an access token of Cognito",
    ],
  ]),
  ...faults("functions/identity/signing-keys.ts", "functions/identity/changed-keys.test.ts", [
    [
      "a withdrawn key signs people in for as long as a function is warm",
      "const refreshMilliseconds = 300_000;",
      "const refreshMilliseconds = 300_000_000;",
      "of GitHub a key that is withdrawn is accepted for five minutes",
    ],
    [
      "old keys sign people in for as long as their issuer cannot be reached",
      "const longestMilliseconds = 3_600_000;",
      "const longestMilliseconds = 3_600_000_000;",
      "of the identity provider old keys are accepted for an hour at most",
    ],
    [
      "an issuer cannot withdraw its last key",
      "if (keys.length === 0) this.#fetchedAt = Number.NEGATIVE_INFINITY;",
      "",
      "of GitLab all keys can be withdrawn",
    ],
  ]),
  ...faults("functions/identity/signature.ts", "functions/identity/changed-keys.test.ts", [
    [
      "two keys with one id lock everybody out",
      "keys.some((jwk) => publicKeysOf(jwk).some(hasSigned))",
      "keys.slice(0, 1).some((jwk) => publicKeysOf(jwk).some(hasSigned))",
      "a second key with the same id, for the same algorithm",
    ],
  ]),
  ...faults("functions/identity/signature.ts", "functions/identity/id-token.test.ts", [
    [
      "anybody signs for anybody",
      "publicKeysOf(jwk).some(hasSigned)",
      "jwk !== undefined",
      "needs the signature of its key",
    ],
    [
      "a key for encryption signs people in",
      'use === "sig" && ',
      "",
      "refused with Ed25519 by a key whose alg is undefined",
    ],
  ]),
  ...faults("functions/identity/signing-keys.ts", "functions/identity/signing-keys.test.ts", [
    [
      "signing keys are fetched without TLS",
      'return protocol === "https:" || (protocol === "http:" && isLoopback);',
      "return protocol !== isLoopback;",
      "are fetched only over https",
    ],
  ]),
  ...faults("local/amazon-server.ts", "local/amazon-server.test.ts", [
    [
      "a web page changes what the local games' edge serves",
      "if (foreign !== undefined) return",
      "if (foreign === server.toString()) return",
      "does nothing, and no page reads the response",
    ],
  ]),
  ...faults("functions/http/log.ts", "functions/http/log.test.ts", [
    ["a token is in the log", 'replace(/pat_[0-9A-Za-z]*/g, "pat_…")', "trim()", "contains no secret of its error"],
    [
      "an ID token is in the log",
      'replace(/eyJ[\\w-]*(\\.[\\w-]*)*/g, "eyJ…")',
      "trim()",
      "contains no secret of its error",
    ],
    [
      "the signature of a presigned URL is in the log",
      'replace(/(X-Amz-(?:Security-Token|Signature))=[^\\s&"]+/gi, "$1=…")',
      "trim()",
      "contains no secret of its error",
    ],
    [
      "an email address is in the log",
      'replace(/("[^\\s"]+"|(?<![^\\s"<>/@])[^\\s"<>/@]+)@[^\\s"\'<>/@]+/g, "…@…")',
      "trim()",
      "is logged as",
    ],
    [
      "what was thrown is in the log",
      "name: typeof error",
      "name: String(error)",
      "of what is no error its type alone",
    ],
  ]),
  ...faults("functions/domain/sweep/retention.ts", "functions/domain/sweep/retention.test.ts", [
    [
      "withdrawn files stay stored for a release with other deltas",
      "!withdrawn.has(filesDigestOf(release))",
      "!withdrawn.has(release.manifest)",
      "so is nothing of its files with other deltas",
    ],
    [
      "the files of the live release are deleted",
      "release.id === project.currentRelease?.id || ",
      "",
      "the live one beside them",
    ],
    [
      "releases are deleted after hours instead of days",
      "retention.days * dayMilliseconds",
      "retention.days * 3_600_000",
      "replaced exactly 90 days ago is kept",
    ],
    ["the files of a preview are deleted", " || isShown(release)", "", "as long as it has a preview"],
    [
      "the files of a release that is to go live at an hour are deleted",
      "id === project.schedule?.releaseId || ",
      "",
      "as long as it has a preview or a schedule",
    ],
    [
      "files are deleted while they can still be uploaded",
      "ttl + limits.uploadUrlLifetimeSeconds < now.getTime() / 1_000",
      "ttl < now.getTime() / 1_000",
      "when its upload URLs have been invalid for a second",
    ],
    [
      "what was taken down is kept for ever",
      "suspension !== undefined && !suspension.isTakedown",
      "suspension !== undefined",
      "that was taken down is swept whole",
    ],
    [
      "a project that can still be restored is deleted for good",
      "restorableUntil(deletedAt).getTime() + 3_600_000 < now.getTime()",
      "Date.parse(deletedAt) < now.getTime()",
      "that could be restored until an hour ago",
    ],
    [
      "a suspended project, whose owner may be right, is deleted for good",
      "deletedAt === undefined || (suspension !== undefined && !suspension.isTakedown)",
      "deletedAt === undefined",
      "that is suspended is swept whole",
    ],
  ]),
  ...faults("functions/files/manifests.ts", "functions/files/manifests.test.ts", [
    [
      "deltas are stored uncounted, and swept while players load them",
      "...files, ...Object.values(this.#deltas).flat()",
      "...files",
      "keeps deltas of files",
    ],
    [
      "indexes of large files are stored uncounted, and swept before the next publication reads them",
      ", ...Object.values(this.indexes)]",
      "]",
      "keeps indexes of files",
    ],
  ]),
  ...faults("functions/files/store.ts", "functions/files/store.test.ts", [
    [
      "a file with other bytes than its hash is used",
      'hash("sha256", bytes) !== sha256',
      "bytes.byteLength < 0",
      "a file with other content than its hash is not read",
    ],
  ]),
  ...faults("functions/domain/pages.ts", "functions/domain/pages.test.ts", [
    [
      "a cursor of one list reads another",
      "encodeCursor(id, list) !== cursor",
      "list === cursor",
      "a cursor that is not from a list is refused",
    ],
  ]),
  ...faults("functions/files/copy-facts.ts", "functions/files/copy-facts.test.ts", [
    [
      "a delta that an earlier version has not seen is sent as a true one",
      "this.#areOfUnpacked || seenBytesOf(claim.file) === claim.file.sha256",
      "true",
      "facts of an earlier version say nothing",
    ],
  ]),
  ...faults("functions/files/manifests.ts", "functions/files/manifests.test.ts", [
    [
      "a file that no browser unpacks is sent as a delta of what its Brotli gives",
      "this.#deltas[seenBytesOf({ path, ...content })]",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is code
      "this.#deltas[content.sha256] ?? this.#deltas[`${content.sha256}.br`]",
      "keeps deltas of what is stored apart",
    ],
    [
      "a delta that is true of what Brotli gives is true of the stored bytes",
      "[sha256, seenBytesOf(file), ",
      "[sha256, file.sha256, ",
      "keeps deltas of what is stored apart",
    ],
  ]),
  ...faults("contract/api/releases/manifest-rules.ts", "edge/content/named-content.test.ts", [
    [
      "a browser keeps compressed bytes as a dictionary of unpacked ones",
      'stored.encoding === "br" && encoding === undefined',
      "true",
      "is none if the build compressed the file",
    ],
  ]),
  ...faults("edge/content/representation.ts", "edge/content/named-content.test.ts", [
    [
      "players get a delta from a file that they do not have",
      "named === digest || named === deltaKey(path, digest)",
      'named !== ""',
      "that no release has a delta for gets Brotli",
    ],
    [
      "who asks for a part of a file gets a part of a delta",
      "takesBrotli(request) ? deltaFor(path, request, deltas) : undefined",
      "deltaFor(path, request, deltas)",
      "gets a range of the file itself",
    ],
  ]),
  ...faults("edge/content/frame.ts", "edge/content/named-content.test.ts", [
    [
      "a browser takes a part of a file from the bytes of its Brotli copy",
      "return tagOf([object.sha256, contentEncoding, kindOf(settings)]);",
      'return tagOf([contentEncoding && "one tag", kindOf(settings)]);',
      "gets 304 for the bytes that it has, and for no other encoding of them",
    ],
  ]),
  ...faults("edge/content/brotli.ts", "edge/origin.test.ts", [
    [
      "an engine that seeks takes the length of the Brotli copy for the file's, and cuts it",
      'method === "GET" && headers["range"] === undefined',
      '(method === "HEAD" || headers["range"] === undefined)',
      "to HEAD is the length of the file itself",
    ],
  ]),
  ...faults("edge/content/headers.ts", "edge/origin.test.ts", [
    [
      "browsers keep a page for a year, and no release replaces it",
      "!isDocument && matchesPattern(path, immutable)",
      "matchesPattern(path, immutable)",
      "is cached for a year if the release says so, but never a document",
    ],
  ]),
  ...faults("edge/content/file-response.ts", "edge/origin.test.ts", [
    [
      "a game with threads does not start, because a file has no isolation headers",
      "    ...everywhere,\n    ...isolationHeaders(settings),\n    ...frameHeaders(representation, settings),\n    ...preloadHeaders(representation, settings),",
      "    ...everywhere,\n    ...frameHeaders(representation, settings),\n    ...preloadHeaders(representation, settings),",
      "of the visit's release is in the headers of",
    ],
  ]),
  ...faults("edge/content/representation.ts", "edge/origin.test.ts", [
    [
      "a browser that takes no Brotli gets bytes that it cannot read",
      "if (file.br !== undefined && takesBrotli(request)) return",
      "if (file.br !== undefined) return",
      "is the file to a client that does not",
    ],
  ]),
  ...faults("edge/content/find-object.ts", "edge/content/named-content.test.ts", [
    [
      "a game's host redirects to a host that somebody wrote into the path",
      "leadResponse(request, plainResult.location, ",
      'leadResponse(request, "/" + wanted.path, ',
      "leads to no other host",
    ],
  ]),
  ...faults("edge/content/file-response.ts", "edge/content/named-content.test.ts", [
    [
      "a page or a worker's script is sent as a delta, and kept for another one",
      "isFile ? dictionaryPath({ path, ...file }, settings) : undefined",
      "dictionaryPath({ path, ...file }, settings)",
      "has no delta, if it is a service worker's script",
    ],
  ]),
  ...faults("edge/visit/visit.ts", "edge/visit/visit.test.ts", [
    [
      "a cookie plays what was never live, or was withdrawn",
      "name === live || earlier.includes(name)",
      "name.length > 0",
      "reads nothing that was not live",
    ],
    [
      "a worker of a withdrawn release lives on in browsers",
      "startsVisit(request) || isWorkerScript(request)",
      "startsVisit(request)",
      "a service worker's script only from the live release",
    ],
  ]),
  ...faults("edge/project/pointer.ts", "edge/project/pointer.test.ts", [
    [
      "a preview is played after it has expired: milliseconds are compared with seconds",
      "nowSeconds < Number(fields[2])",
      "nowSeconds < Number(fields[2]) * 1_000",
      "is read back until it expires",
    ],
  ]),
  ...faults("contract/folder/secret-content.ts", "contract/folder/secret-content.test.ts", [
    ["a token in a file of UTF-16 goes live", " ?? tokenAround(bytes, at, 2);", ";", "in UTF-16 of both byte orders"],
    [
      "a token in a compressed file goes live if its name does not say so",
      "if (head[0] === 0x1f && head[1] === 0x8b)",
      "if (false)",
      "is packed as",
    ],
    [
      "a secret at the border of two pieces goes live without a warning",
      "joined(this.#text, text.subarray(0, longestForm))",
      "text.subarray(0, longestForm)",
      "is found, in pieces too",
    ],
  ]),
  ...faults("contract/client.ts", "contract/client.test.ts", [
    [
      "a deletion by a token that was revoked meanwhile is told as done",
      'if (line === "DELETE /tokens/current") return code === "token_revoked";',
      'if (code === "token_revoked") return true;',
      "by a token that is revoked meanwhile",
    ],
    [
      "another server's page is taken for the revocation of a token",
      "call.empty ? response.status !== 204",
      "call.empty ? false",
      "that is another server",
    ],
    [
      "the credential goes to another origin",
      "if (request.url.origin !== api.origin)",
      "if (request.url.origin === undefined)",
      "no request goes to another origin",
    ],
    [
      "what may have been done is repeated over what took its place",
      "if (mayBeDone) await beforeRepeat",
      "if (!mayBeDone) await beforeRepeat",
      "what must not be repeated is not",
    ],
  ]),
  ...faults("publisher/settings.ts", "publisher/prepare.test.ts", [
    [
      "a release gets the old bytes of a file that was once chosen as the picture",
      '"bytes" in picture || ("sha256" in picture && besidePaths.includes(picture.path))',
      '"bytes" in picture || "sha256" in picture',
      "never the bytes of before",
    ],
  ]),
  ...faults("publisher/facts.ts", "publisher/prepare.test.ts", [
    [
      "a token in a compressed file goes live",
      "packing && (await unpackedFacts(file, packing, options))",
      "undefined",
      "a token is found in what is compressed",
    ],
    [
      "a token in a file goes live",
      'refuse("token_in_folder", tokenPlaces(read));',
      "",
      "a file with a token of svc is refused",
    ],
  ]),
  ...faults("publisher/copies.ts", "publisher/prepare.test.ts", [
    [
      "a copy is of other bytes than its file",
      "if (source.digest() !== file.sha256)",
      "if (source.digest() === undefined)",
      "a large file that is another one when it is compressed is refused",
    ],
    [
      "a copy of a small file is of other bytes than its file",
      "if (nameOfContent(bytes, platform.hashes) !== file.sha256)",
      "if (bytes.length !== file.size)",
      "a small file that is another one when it is compressed is refused",
    ],
  ]),
  ...faults("dashboard/src/publish/platform.ts", "publisher/prepare.test.ts", [
    [
      "a token in Brotli that unpacks to much goes live by the dashboard",
      "while (!isOver) {",
      "while (!isOver && rest.length > 0) {",
      "in a page a token is found in what is compressed",
    ],
  ]),
  ...faults("dashboard/src/session.ts", "dashboard/src/session.test.ts", [
    [
      "a page that nobody uses keeps its session alive by what it asks itself",
      "isPresent ? await this.#renewSilently() : undefined",
      "await this.#renewSilently()",
      "an ID token for what the page asks by itself: none of a session that would have to be renewed",
    ],
  ]),
  ...faults("cli/src/job-identity.ts", "cli/src/sign-in/job-token.test.ts", [
    [
      "a job's request token for identities is sent without https",
      "withAudience === undefined || !isHttpsOrLocal(withAudience)",
      "withAudience === undefined",
      "is sent to no token service without https",
    ],
  ]),
  ...faults("cli/src/small-file.ts", "cli/src/publish/ignore-rules.test.ts", [
    [
      "what a .svcignore in UTF-16 excludes goes live by the command line",
      "textIn(fs.readFileSync(descriptor))",
      'fs.readFileSync(descriptor, "utf8")',
      "which PowerShell's > writes, is obeyed",
    ],
  ]),
  ...faults("contract/folder/text-encoding.ts", "publisher/prepare.test.ts", [
    [
      "what a .svcignore in UTF-16 excludes goes live by the dashboard",
      "new TextDecoder(encodingOf(bytes))",
      "new TextDecoder()",
      "which PowerShell's > writes, is obeyed",
    ],
  ]),
  ...faults("contract/folder/ignore-rules.ts", "cli/src/publish/ignore-rules.test.ts", [
    ["a file with the name of a secret goes live", '.add(from("secret", secretPatterns))', "", "may contain a secret"],
  ]),
  ...faults("infra/deployment/stacks.ts", "infra/deployment/stacks.test.ts", [
    [
      "a deployment deletes the table of a stage that people used",
      'neverComplete.includes(status ?? "") ? await resourcesOf(place) : []',
      "await resourcesOf(place)",
      "of a stack that was complete once stays",
    ],
  ]),
  ...faults("infra/deployment/leftovers.ts", "infra/deployment/stacks.test.ts", [
    ["a deployment deletes a table with items", "if (Count > 0)", "if (Count < 0)", "if its table has an item"],
  ]),
  ...faults("infra/deployment/deploy-plan.ts", "infra/deployment/stacks.test.ts", [
    [
      "a deployment that nobody watches replaces the table",
      "if (refused.length > 0)",
      "if (refused.length < 0)",
      "so a table to REPLACE is refused",
    ],
  ]),
  ...faults("infra/deployment/template-changes.ts", "infra/deployment/stacks.test.ts", [
    [
      "a deployment that nobody watches removes all accounts",
      '"AWS::Cognito::UserPool": "user pool",',
      "",
      "a removed AWS::Cognito::UserPool",
    ],
  ]),
  ...faults("infra/deployment/account-policies.ts", "infra/deployment/stacks.test.ts", [
    [
      "the union of two versions' policies takes the former's denials for the newer's",
      'statement.Effect === "Allow" && isForTheSame(other, statement)',
      "isForTheSame(other, statement)",
      "what the newer one denies",
    ],
  ]),
  ...faults("publisher/live-settings.ts", "publisher/live-settings.test.ts", [
    [
      "other settings bring back files that another release has replaced since",
      "{ expectCurrent: current }",
      "{ expectCurrent: undefined }",
      "of the one whose files it has",
    ],
  ]),
  ...faults("publisher/going-live.ts", "publisher/going-live.test.ts", [
    [
      "a release comes back over one that took its place while svc waited for the edge",
      "publish(params.id)).edge",
      "publish(expectCurrent)).edge",
      "a release that goes live is requested again until the edge has it",
    ],
    [
      "a release whose first response was lost comes back over one that took its place",
      "if (wasReplaced(release, began))",
      "if (!release)",
      "is noticed",
    ],
  ]),
  ...faults("options/notices/functions/delivery.ts", "options/notices/test/release-notices.test.ts", [
    [
      "of the releases that changed in ten minutes owner and admins hear of the last alone",
      "notice: { ...last.notice, changes }, others",
      "notice: last.notice, others",
      "what happens in the same ten minutes is one notice",
    ],
  ]),
  ...faults("options/notices/functions/notice-log.ts", "options/notices/functions/notice-log.test.ts", [
    [
      "the local log has names of people and messages of releases",
      "notice: withoutTexts(notice)",
      "notice",
      "has nothing that people wrote",
    ],
  ]),
  ...faults("options/statistics/functions/counting.ts", "options/statistics/test/count-plays.test.ts", [
    [
      "a log that never came is taken for one without players, and no limit of traffic acts",
      "logged < requests / 2 ?",
      "false ?",
      "with no row of 1,000, as one that never began",
    ],
  ]),
  ...faults("infra/hosts/domains.ts", "infra/hosts/host-names.test.ts", [
    [
      "a host name's records go into the zone of a domain that only ends alike",
      "isWithin(name, zoneName)",
      "name.endsWith(zoneName)",
      "is not taken for a zone's because it ends alike",
    ],
  ]),
  ...faults("functions/files/multipart.ts", "test/api/files/multipart-requests.test.ts", [
    [
      "a copy of a large file that fails leaves parts that are stored for nobody",
      "await abortUpload(to.key, uploadId);",
      "",
      "a large object that cannot be copied leaves no unfinished upload",
    ],
  ]),
  ...faults("options/reports/contract/crashes.ts", "options/reports/contract/crashes.test.ts", [
    [
      "the URL of a report is kept",
      ".map(({ body, user_agent: agent }) => ({",
      ".map(({ body, user_agent: agent, ...report }) => ({ ...report,",
      "of URL, address, agent and referrer nothing is kept",
    ],
  ]),
  ...faults("options/saves/page/encoding.ts", "options/saves/page/encoding.test.ts", [
    [
      "a file with saved games makes a list of four billion places of five bytes",
      "if (length > this.#bytes.length - start) throw",
      "if (length > 2 ** 40) throw",
      "is refused",
    ],
    [
      "a member of a saved game becomes the prototype of an object",
      "made(() => Object.defineProperty(value, key, member));",
      "Reflect.set(value, key, member.value);",
      "a member named __proto__ is a member",
    ],
    [
      "a file with saved games fills the stack",
      "if (depth > maxDepth) throw",
      "if (depth > 1e9) throw",
      "levels is refused",
    ],
  ]),
  ...faults("options/saves/page/only-named.ts", "options/saves/page/only-named.test.ts", [
    [
      "a game gets what other games of its old host have saved in one database",
      "store.records.filter(([key]) => isNamed(key))",
      "store.records",
      "of an origin with several games only what is named is kept",
    ],
    [
      "a game gets what other games of its old host have in localStorage",
      "texts.filter(([key]) => isNamed(key))",
      "texts",
      "of an origin with several games only what is named is kept",
    ],
  ]),
  ...faults("options/saves/page/sealing.ts", "options/saves/page/sealing.test.ts", [
    [
      "every link with saved games has the same key",
      'await crypto.subtle.generateKey({ name: algorithm, length: 256 }, true, ["encrypt"])',
      'await crypto.subtle.importKey("raw", new Uint8Array(32), algorithm, true, ["encrypt"])',
      "each time the key is another one of 256 bits",
    ],
  ]),
  ...faults("options/saves/page/saves-file.ts", "options/saves/page/saves-file.test.ts", [
    [
      "a damaged file replaces saved games",
      "digest.some((byte, index) => bytes[digestAt + index] !== byte)",
      "digest.length !== 32",
      "one with another byte is refused as changed",
    ],
    [
      "a file with saved games makes ten thousand stores",
      "mustBe(stores.length <= maxCounts.stores);",
      "",
      "a file with 1,001 stores in two databases is refused",
    ],
    [
      "a file replaces the copy of what it replaces",
      " && !name.startsWith(ownDatabases));",
      ");",
      "a file with a database of the page itself is refused",
    ],
  ]),
];

/** Noticed by tests that run the bundled functions, one after the other. */
export const bundledFaults: readonly Fault[] = [
  ...faults("options/saves/functions/saves-link-items.ts", "options/saves/test/links.test.ts", [
    [
      "two get the saved games of one link",
      '"attribute_exists(PK) AND #ttl > :now"',
      '"attribute_not_exists(PK) OR #ttl > :now"',
      "are given to one of two who have both found them",
    ],
    [
      "a link with saved games works for ever",
      '"attribute_exists(PK) AND #ttl > :now"',
      '"attribute_exists(PK) AND (#ttl > :now OR #ttl <= :now)"',
      "are given for an hour, to the second",
    ],
    [
      "a stranger fills the store with links",
      "(links < :links AND sizeBytes <= :room)",
      "(links < :links AND sizeBytes <> :room)",
      "a link is refused: of more than 256 MiB together, to the byte",
    ],
    [
      "a stranger makes more links than an hour has",
      "(links < :links AND sizeBytes <= :room)",
      "(links <= :links AND sizeBytes <= :room)",
      "the 301st is refused",
    ],
    [
      "what players get by links counts for nobody",
      "sent: sentBytesWrite(slug, sizeBytes, now),",
      "sent: sentBytesWrite(slug, 0, now),",
      "count as bytes that players of the game got, once they are taken",
    ],
  ]),
  ...faults("options/saves/functions/keys.ts", "options/saves/test/links.test.ts", [
    [
      "a link of one game is taken at another game's host",
      "{ PK: partition(site), SK",
      "{ PK: partition(site.slice(0, 0)), SK",
      "are given at the host that they were sent at",
    ],
    [
      "whoever reads the table takes saved games",
      'createHash("sha256").update(id).digest("hex")',
      "id",
      "are kept under a digest of their id",
    ],
  ]),
  ...faults("options/saves/cli/page.ts", "options/saves/test/export-page.test.ts", [
    [
      "svc saves page replaces a file of the developer",
      'replaces ? "w" : "wx"',
      '"w"',
      "a file that exists is replaced only with --force",
    ],
    [
      "players are led to a page that anybody on the network can replace",
      "if (!isHttpsOrLocal(url))",
      "if (url.protocol.length === 0)",
      "is refused, and nothing is written",
    ],
  ]),
  ...faults("options/saves/cli/export-page.ts", "options/saves/test/export-page.test.ts", [
    ["the page that reads saved games may send them", "default-src 'none'", "default-src *", "may run nothing else"],
  ]),
  ...faults("options/notices/contract/webhooks.ts", "contract/api/route-lists.test.ts", [
    [
      "a token adds a webhook",
      'errors: ["webhook_limit_reached"],',
      'errors: ["webhook_limit_reached"], credential: "any", scope: "projects",',
      "a personal access token is accepted by these routes alone",
    ],
  ]),
  ...faults("contract/api/releases/releases.ts", "contract/api/route-lists.test.ts", [
    [
      "a token says to players what is new where a person makes live",
      'personMakesLive: "session",\n  params: releaseParams,\n  body: z.strictObject({\n    message: about(\n      "What is new, for',
      'personMakesLive: "free",\n  params: releaseParams,\n  body: z.strictObject({\n    message: about(\n      "What is new, for',
      "need a person who has just signed in where a person makes live",
    ],
  ]),
  ...faults("contract/api/projects/projects.ts", "contract/api/route-lists.test.ts", [
    [
      "a viewer publishes, rolls back and takes the game offline",
      'role: "dev", project: "publisher" } as const',
      'role: "dev", project: "viewer" } as const',
      "are for all people of a project but viewers",
    ],
    [
      "a viewer invites and deletes releases",
      'recentSignIn: true, project: "admin" } as const',
      'recentSignIn: true, project: "viewer" } as const',
      "are for owner and admins",
    ],
  ]),
  ...faults("functions/domain/projects/several-projects.ts", "test/api/members/team.test.ts", [
    [
      "an acceptance gives a project that who invited does not own any more",
      "project?.ownerKey === read.fromKey &&",
      "project !== undefined &&",
      "joins what the owner still owns",
    ],
    [
      "an admin, or somebody else, invites to another's project",
      "    assertOwner(other, account);\n",
      "",
      "is refused whole if one of them is one in which the caller is an admin",
    ],
    [
      "somebody invites to projects of others that are not theirs at all",
      "other === undefined || roleIn(other, account.key) === undefined",
      "other === undefined",
      "is refused whole if one of them is another developer's",
    ],
    [
      "an old sign-in gives a stranger the rights of a project where a person makes live",
      "if (project && isLeft(project.slug)) assertPersonOf(actor, project, now);",
      ";",
      "needs a person who has just signed in",
    ],
    [
      "a project gets more people than it has room for",
      "peopleOf(project) + places >= limits.membersPerProject",
      "peopleOf(project) > limits.membersPerProject",
      "joins what the owner still owns",
    ],
  ]),
  ...faults("functions/domain/projects/invitations.ts", "test/api/members/team.test.ts", [
    [
      "the part of a link that logs have shows an owner's other projects",
      "const isShown = isTheirs &&",
      "const isShown =",
      "shows its other projects to who made it",
    ],
  ]),
  ...faults("functions/domain/projects/team.ts", "test/api/members/team.test.ts", [
    [
      "who was removed from all joins the next project",
      "  await leaveTeam(account.key, key, now);\n  const projects",
      "  const projects",
      "ends every role, also in deleted projects",
    ],
    [
      "who was removed from all accepts an invitation that is still open",
      "  await endInvitations(actor, key, keepsProjects, now);\n",
      "",
      "ends every role, also in deleted projects",
    ],
    [
      "who was removed from all comes back with a restored project",
      "Promise.all([readOwnedSlugs(ownerKey), readAllDeletedSlugs(ownerKey)])",
      "Promise.all([readOwnedSlugs(ownerKey)])",
      "ends every role, also in deleted projects",
    ],
  ]),
  ...faults("functions/table/projects/member-items.ts", "test/long/faults/races/team.test.ts", [
    [
      "two people share one invitation to several projects",
      "open, asAccepted(id, invitation), {",
      'open, { names: { "#invitation": id } }, {',
      "two people at once",
    ],
  ]),
  ...faults("functions/table/projects/team-items.ts", "test/long/faults/races/team.test.ts", [
    [
      "a project that is created while somebody is removed has them",
      "team: check(keys.team(ownerKey), teamAsRead(team)),",
      "team: undefined,",
      "removed from all does not join it",
    ],
  ]),
  ...faults("functions/domain/accounts/deletion.ts", "test/api/members/team.test.ts", [
    [
      "who deletes the account and signs up again joins new projects of others",
      "  await leaveTeams(key, now);\n",
      "",
      "ends with either account",
    ],
  ]),
  ...faults("functions/domain/projects/invitations.ts", "test/api/members/viewers.test.ts", [
    [
      "who is no developer takes a project over, or its publisher's place",
      'if (read.role !== "viewer") authorizeAccount({ role: "dev" }, account);',
      "",
      "does not join as",
    ],
  ]),
  ...faults("functions/table/accounts/account-items.ts", "test/api/members/viewers.test.ts", [
    [
      "an account that is suspended meanwhile joins a project",
      "itemExists, asRead({ suspension: undefined })",
      "itemExists",
      "that is suspended while it joins",
    ],
  ]),
  ...faults("functions/domain/projects/members.ts", "test/api/members/viewers.test.ts", [
    [
      "a viewer learns what tokens are called",
      'roleIn(project, account.key) === "viewer" ?',
      "false ?",
      "not what tokens are called",
    ],
  ]),
  ...faults("functions/domain/projects/members.ts", "test/api/members/members.test.ts", [
    [
      "an admin who becomes a viewer has left a link behind that makes an admin",
      'role === "admin" ? (project.invitations ?? {}) : notFrom(project, key)',
      "project.invitations ?? {}",
      "withdraws what a former admin has invited",
    ],
  ]),
  ...faults("functions/domain/projects/invitations.ts", "test/api/members/invitations.test.ts", [
    [
      "who has the visible part of an invitation's link learns who invites to which game",
      "invitation?.secret === grantKey(secret) &&",
      "invitation?.secret !== undefined &&",
      "its visible part shows nothing",
    ],
  ]),
  ...faults("options/notices/functions/webhook-items.ts", "options/notices/test/webhooks.test.ts", [
    [
      "a delivery is lost after a failure",
      "next: put(webhookKeys.waiting(nextAt, delivery), { ...delivery, attempts }),",
      "",
      "is sent again with the same bytes and id",
    ],
  ]),
  ...faults(
    "options/notices/functions/webhook-request.ts",
    "options/notices/test/long/security/webhook-addresses.test.ts",
    [
      [
        "a webhook reaches the service's own network",
        'if (!addresses.every(({ address }) => isAllowed(address))) return { error: "address_not_public" };',
        "",
        "is not connected to",
      ],
      [
        "one public address of a name lets its private ones be reached",
        "!addresses.every(({ address }) => isAllowed(address))",
        "!addresses.some(({ address }) => isAllowed(address))",
        "is not connected to",
      ],
      [
        "a webhook's name is resolved again for its connection",
        "if (all || first === undefined) callback(null, [...addresses]);",
        "if (all || first === undefined) lookup(_hostname, { all: true }).then((again) => callback(null, again));",
        "the name is resolved once",
      ],
    ],
  ),
  ...faults("functions/table/projects/history.ts", "options/notices/test/release-notices.test.ts", [
    [
      "nobody hears that a thief made a release live",
      "    ...releaseNotices(project, made, stored),\n",
      "",
      "owner and admins hear of each change of a release",
    ],
  ]),
  ...faults("functions/files/http-client.ts", "test/long/faults/store-client.test.ts", [
    [
      "a file that the store refuses for a moment is lost",
      "maximumAttempts = 4",
      "maximumAttempts = 1",
      "a temporary failure, 503 SlowDown, is retried",
    ],
  ]),
  ...faults("functions/table/client.ts", "test/long/faults/table-client.test.ts", [
    [
      "a write that DynamoDB refuses for a moment is lost",
      "maximumAttempts: 2",
      "maximumAttempts: 1",
      "a request that DynamoDB fails is tried four times",
    ],
  ]),
  ...faults("functions/domain/accounts/accounts.ts", "test/api/accounts/sign-in.test.ts", [
    [
      "who asks becomes a developer of a stage whose operator approves them",
      "isUpgrade && environment.developersNeedApproval()",
      "isUpgrade && environment.developersNeedApproval() && existing?.role === undefined",
      "makes nobody a developer who asks",
    ],
    [
      "who the stage does not let become a developer becomes one",
      "if (isUpgrade) assertMayBecomeDeveloper(person);",
      "",
      "refuses it to a person with",
    ],
  ]),
  ...faults("functions/domain/releases/publishing.ts", "test/api/releases/person-makes-live.test.ts", [
    [
      "where a person makes live, a stolen token's release is live",
      "project.personMakesLive === true && token !== undefined",
      "false",
      "waits: it is complete",
    ],
    [
      "where a person makes live, a stolen token rolls back to a release that was replaced",
      "if (isForPerson) assertMayWait(release);",
      "",
      "does not wait if files are missing",
    ],
  ]),
  ...faults("functions/table/projects/project-items.ts", "test/api/releases/person-makes-live.test.ts", [
    [
      "a change that is under way passes the switch by which a person makes live",
      "    personMakesLive,\n    deletedAt: undefined,",
      "    deletedAt: undefined,",
      "a publication by a token waits",
    ],
  ]),
  ...faults("functions/table/projects/project-items.ts", "test/long/faults/races/changed-project.test.ts", [
    [
      "a change that is under way passes the removal of its member",
      "    members,\n    refuseTokens,",
      "    refuseTokens,",
      "a publication of theirs is refused",
    ],
    [
      "a change that is under way passes the hand-over of its project",
      "    ownerKey,\n    members,",
      "    members,",
      "a publication is refused",
    ],
    [
      "a change that is under way passes the suspension of its project",
      "    suspension: undefined,\n",
      "",
      "the project is suspended meanwhile",
    ],
  ]),
  ...faults("functions/table/projects/history.ts", "test/api/releases/person-makes-live.test.ts", [
    [
      "no admin hears of a release that waits",
      "release_waiting: admins",
      "release_waiting: () => false",
      "waits: it is complete",
    ],
  ]),
  ...faults("functions/domain/projects/editing.ts", "test/api/releases/person-makes-live.test.ts", [
    [
      "no token may set it, and a stolen ID token of any age does: that a person makes live",
      'if (personMakesLive && actor.kind === "idToken") assertJustSignedIn(actor.person, now);',
      "",
      "is not set by a person",
    ],
  ]),
  ...faults("functions/domain/releases/publishing.ts", "test/api/releases/decisions.test.ts", [
    [
      "settings that a stolen token planted stay in the releases after it",
      "if (tokenOf(actor) === undefined) return",
      "if (actor) return",
      "whatever a token set meanwhile",
    ],
    [
      "a person who changes one setting of a release of a stolen token's keeps what that planted beside it",
      "const earlier = isOtherSettings ?",
      "const earlier = false as boolean ?",
      "changes one setting of a token",
    ],
  ]),
  ...faults("functions/domain/releases/scheduling.ts", "test/api/releases/schedules.test.ts", [
    [
      "a release goes live before its time",
      "await clock.waitUntil(new Date(due.at));",
      "",
      "is waited for by a run that begins before its time",
    ],
    [
      "a release goes live by a token that was revoked, or by somebody who was removed",
      'authorize({ ...contract.scheduleRelease, personMakesLive: "free" }, caller, project, now);',
      "",
      "by a member who was removed",
    ],
    [
      "a release goes live long after its people have gone",
      'isTooLate(schedule, now) ? "too_late" : await',
      "await",
      "does not go live more than a minute late",
    ],
    [
      "where a person makes live, a token's schedule of before does",
      'if (project.personMakesLive && !schedule.isAgreed) return "person_required";',
      "",
      "by whom a person must agree since then",
    ],
    [
      "a token outlives its expiry by what it has scheduled",
      "if (token && token.expiresAt <= at.toISOString())",
      "if (token === null)",
      "by a token that expires before",
    ],
  ]),
  ...faults("functions/domain/authentication.ts", "test/api/releases/schedules.test.ts", [
    [
      "a revoked token makes live what it has scheduled",
      "const refusal = refusalOf(token, now) ?? (token && distrust(token, project));",
      "const refusal = token && distrust(token, project);",
      "by a token that was revoked",
    ],
  ]),
  ...faults("functions/table/releases/schedule-items.ts", "test/api/releases/schedules.test.ts", [
    [
      "a schedule brings back what a roll-back took away",
      'schedule.despiteChanges && act !== "roll_back"',
      "schedule.despiteChanges",
      "with a roll-back, also one that stays",
    ],
    [
      "a deleted release stays scheduled",
      "schedule === undefined || !manifests.has(schedule.manifest)",
      "true",
      "when its release is deleted",
    ],
  ]),
  ...faults("edge/content/resolve.ts", "test/documents/linear-patterns.test.ts", [
    [
      "a path of dots costs the function at the origin a fifth of a second",
      'path.lastIndexOf(".") > path.lastIndexOf("/")',
      "/\\.[^/]*$/.test(path)",
      "none takes long for 8 KiB",
    ],
  ]),
  ...faults("edge/viewer-request.ts", "test/edge/cache-keys.test.ts", [
    [
      "made-up dictionaries are keys of the cache, and each costs a load from the bucket",
      'isKnown ? dictionary : ""',
      "dictionary",
      "makes one miss with twenty dictionaries",
    ],
  ]),
  ...faults("edge/project/viewer-project.ts", "test/edge/cache-keys.test.ts", [
    [
      "spellings of one path are keys of the cache, and each costs a load from the bucket",
      "const path = spellingOf(sent.uri);",
      "const path = sent.uri;",
      "makes one miss with twenty spellings of a file by its content",
    ],
  ]),
  ...faults("functions/domain/releases/uploads.ts", "test/api/releases/releases.test.ts", [
    [
      "players are sent files from the store, which nothing counts",
      '{ [olderFileHeader]: "1" }',
      "{}",
      "which a program gets and a browser does not",
    ],
    [
      "who may only open previews reads files of releases that it may not see",
      "isPreviewOnly(actor) ? [] : ",
      "",
      "of the live one alone to whom may only open previews",
    ],
  ]),
  ...faults("functions/domain/releases/files.ts", "test/api/releases/files.test.ts", [
    [
      "players are sent the files of any release from the store, which nothing counts",
      '{ [olderFileHeader]: "1" }',
      "{}",
      "a URL gives the bytes to who sends its header, and to nobody else",
    ],
    [
      "the files of a suspended project are still given out",
      " && suspension === undefined",
      "",
      "each of a suspended project, has none",
    ],
    ["files of a draft are given out", "release.publishedAt !== undefined && ", "", "one that was never live"],
    [
      "files of a deleted release are given out",
      "  assertNotWithdrawn(release);\n",
      "",
      "a deleted release has no list",
    ],
  ]),
  ...faults("functions/domain/releases/releases.ts", "test/api/releases/releases.test.ts", [
    [
      "who may only open previews reads paths of earlier releases",
      "isBefore(each) && maySee(actor, each)",
      "isBefore(each)",
      "beside the previous one",
    ],
  ]),
  ...faults("functions/domain/projects/state.ts", "test/api/projects/refused-tokens.test.ts", [
    [
      "a token acts on a project whose owner refuses it",
      "Object.hasOwn(refusedTokens, lineageOf(token))",
      "false",
      "acts in other projects, lists no project that refuses it",
    ],
    [
      "a refused token acts again as soon as it is replaced",
      "Object.hasOwn(refusedTokens, lineageOf(token))",
      "Object.hasOwn(refusedTokens, token.id)",
      "replaces a refused one is refused",
    ],
  ]),
  ...faults("functions/table/projects/project-items.ts", "test/api/projects/refused-token-routes.test.ts", [
    ["a change that is under way passes the refusal of its token", "    refusedTokens,\n", "", "refuses it at once"],
  ]),
  ...faults("functions/table/projects/project-items.ts", "test/api/publishers/job-tokens.test.ts", [
    [
      "a change by a token that is under way passes the refusal of all tokens",
      "    refuseTokens,\n",
      "",
      "finds a draft again",
    ],
  ]),
  ...faults("functions/domain/authorization.ts", "test/api/publishers/job-tokens.test.ts", [
    [
      "a token changes a project that takes none",
      'if (route.method !== "GET" && caller.kind === "token") assertTakesToken(project, caller.token);',
      "",
      "lets a token read, takes CI jobs",
    ],
  ]),
  ...faults("functions/domain/projects/project-tokens.ts", "test/api/projects/refused-tokens.test.ts", [
    [
      "a later refusal lets a token act that was refused before",
      "filter(([lineage]) => lineages.has(lineage))",
      "filter(() => false)",
      "stays refused if others are refused after it",
    ],
    [
      "an owner reads tokens of people in projects of others",
      "(token.projects?.includes(slug) ?? true)",
      "true",
      "lists those that can act on the project",
    ],
  ]),
  ...faults("functions/domain/releases/publishing.ts", "test/api/publishers/later-runs.test.ts", [
    [
      "a job that runs again brings its old build back, which its publisher forbids",
      "if (isWanted && !isForbidden) return;",
      "if (isWanted) return;",
      "unless a publisher that it matches forbids that",
    ],
  ]),
  ...faults("functions/domain/tokens/tokens.ts", "test/api/tokens/lifetimes.test.ts", [
    [
      "a token lives longer than the stage allows",
      "if (asked <= maxDays) return asked;",
      "return asked;",
      "is refused",
    ],
    [
      "a token that is replaced again and again outlives the stage's limit",
      "new Date(Math.min(oldExpiry, latest))",
      "new Date(Math.min(oldExpiry, Number.POSITIVE_INFINITY))",
      "its replacement has the limit",
    ],
  ]),
  ...faults("functions/domain/authentication.ts", "test/api/tokens/disclosures.test.ts", [
    [
      "a revoked or expired token works",
      'return status === "active" ? undefined :',
      "return status ? undefined :",
      "revokes a token at once",
    ],
  ]),
  ...faults("functions/domain/tokens/disclosures.ts", "test/api/tokens/disclosures.test.ts", [
    [
      "who knows a token's id revokes it",
      "if (!disclosure?.rawToken.matches(token.hash)) continue;",
      "if (!disclosure) continue;",
      "does not revoke a token whose id matches",
    ],
  ]),
  ...faults("functions/domain/login/authorization-codes.ts", "test/api/oauth/oauth-clients.test.ts", [
    [
      "a stolen authorization code is exchanged without its verifier",
      " || issued.codeChallenge !== challenge",
      " || challenge === issued.redirectUri",
      "is refused without its verifier",
    ],
    [
      "an authorization code is valid for a thousand times two minutes",
      "ttl * 1_000 <= now.getTime()",
      "ttl * 1_000_000 <= now.getTime()",
      "or after two minutes",
    ],
    [
      "the token of a code that came twice, which has leaked, lives on",
      "if (issued.tokenId !== undefined) await revokeToken(owner, issued.tokenId, now);",
      "",
      "is valid once; a second exchange revokes the token",
    ],
  ]),
  ...faults("functions/table/tokens/token-items.ts", "test/api/tokens/token-endings.test.ts", [
    [
      "a token that was replaced keeps its whole life",
      "{ expiresAt: old.endsAt, originalExpiresAt,",
      "{ expiresAt, originalExpiresAt,",
      "ends the old one after the overlap",
    ],
  ]),
  ...faults("functions/table/tokens/token-items.ts", "test/long/faults/races/revocation.test.ts", [
    [
      "a token that is revoked while its request runs changes a project",
      '"attribute_not_exists(revokedAt) AND expiresAt > :now"',
      '"expiresAt > :now"',
      "a token that is revoked between the read and the write",
    ],
  ]),
  ...faults("functions/domain/projects/quota.ts", "test/api/releases/quota.test.ts", [
    [
      "an account stores without a limit",
      'assertWithin("account", { quota: environment.accountQuota(), used: usedOf(ledger), more });',
      "",
      "in the account is refused in each of its projects",
    ],
    [
      "a project stores objects without a limit",
      '(["bytes", "objects"] as const)',
      '(["bytes"] as const)',
      "counts objects as well",
    ],
  ]),
  ...faults("functions/table/projects/ledger.ts", "test/api/releases/quota.test.ts", [
    [
      "two releases that are opened at once store more than there is room for",
      "quota[unit] - more[unit]",
      "quota[unit] + more[unit]",
      "are checked when it is counted",
    ],
  ]),
  ...faults("functions/domain/projects/previews.ts", "test/api/releases/named-previews.test.ts", [
    [
      "who may only open previews replaces another's",
      "isPreviewOnly(actor) && openedBy !== openerOf(actor)",
      "false",
      "neither replaces nor ends a preview",
    ],
  ]),
  ...faults("functions/domain/releases/uploads.ts", "test/api/releases/quota.test.ts", [
    [
      "files are uploaded that no release counts any more",
      "Math.min(limits.uploadUrlLifetimeSeconds, ttl - Math.floor(now.getTime() / 1_000))",
      "ttl > 0 ? limits.uploadUrlLifetimeSeconds : 0",
      "an upload URL is valid no longer than the open release",
    ],
  ]),
  ...faults("functions/domain/releases/withdrawal.ts", "test/api/releases/withdrawal.test.ts", [
    [
      "the live release is withdrawn, and players get nothing",
      "  assertNotLive(project, release);\n",
      "",
      "refuses the live release",
    ],
  ]),
  ...faults("functions/domain/releases/withdrawal.ts", "test/api/releases/withdrawal.test.ts", [
    [
      "visits go on with withdrawn files that have other deltas",
      "new Set([release, ...same].map(({ manifest }) => manifest))",
      "new Set([release.manifest])",
      "do not come back with other deltas",
    ],
  ]),
  ...faults("functions/table/accounts/deletion-items.ts", "test/long/journeys/public-page.test.ts", [
    [
      "the name of a person stays after the account is deleted",
      "await deleteItems([keys.author(key)]);",
      "",
      "leaves no name behind",
    ],
  ]),
  ...faults("functions/table/accounts/suspension-items.ts", "test/long/journeys/operator.test.ts", [
    [
      "an account that is restored opens a game that was closed for itself",
      "if_not_exists(suspension, :suspension)",
      ":suspension",
      "a project that is restored meanwhile stays closed",
    ],
  ]),
  ...faults("functions/domain/accounts/deletion.ts", "test/long/journeys/operator-people.test.ts", [
    [
      "erasing a person deletes a project that is another's by then",
      "one.ownerKey === key && one.deletedAt === undefined",
      "one.deletedAt === undefined",
      "deletes no project that is handed over meanwhile",
    ],
    [
      "erasing a person deletes the evidence against them",
      "if (account?.suspension)",
      "if (false)",
      "keeps as evidence an account",
    ],
  ]),
  ...faults("infra/operator/operator.ts", "test/long/journeys/operator-people.test.ts", [
    [
      "the operator erases a person by one wrong word",
      "if (values.confirm !== name)",
      "if (values.confirm === name)",
      "changes nothing without its name once more",
    ],
    [
      "a name draws lines on the operator's terminal",
      "lines.map((line) => line.replace(/[\\p{Cc}",
      "lines.map((line) => line.replace(/(?!\\n)[\\p{Cc}",
      "a name with a line break is one line",
    ],
  ]),
  ...faults("infra/operator/shown.ts", "test/long/journeys/operator-people.test.ts", [
    [
      "the operator is shown hashes of tokens",
      "({ hash: _, accountKey",
      "({ scopes: _, accountKey",
      "but no hash of a token",
    ],
  ]),
  ...faults("functions/origin/served-files.ts", "test/long/journeys/copies.test.ts", [
    [
      "copies that nobody has unpacked are sent",
      "if (facts === undefined) return { ...plain, isUnchecked: true };",
      "if (facts === undefined) return content;",
      "is sent to nobody at a preview of who may not publish",
    ],
    [
      "a false Brotli copy is sent at a URL that names the file's content",
      "br !== undefined && facts.isTrue({ file, copy: br }) && { br }",
      "br !== undefined && { br }",
      "a Brotli copy that is not its file is sent to nobody at a preview of who may not publish",
    ],
    [
      "a false delta is sent",
      "deltas.filter((copy) => facts.isTrue({ file, copy }))",
      "deltas.filter((copy) => copy.size > 0)",
      "a delta that is not its file is sent to nobody at a preview of who may not publish",
    ],
  ]),
  ...faults("functions/domain/releases/checking.ts", "test/long/journeys/copies.test.ts", [
    [
      "a delta of what is stored in Brotli gives other bytes",
      "?.sha256 === whole.sha256",
      " !== undefined",
      "of a file that is stored in Brotli a delta that gives other bytes is refused",
    ],
  ]),
  ...faults("functions/domain/releases/opening.ts", "test/long/journeys/copies.test.ts", [
    [
      "a false delta of the live release passes to the next one, which cannot go live then",
      "!dictionaries.has(copy.dictionary) && facts.isTrue({ file, copy })",
      "!dictionaries.has(copy.dictionary)",
      "passes to no release after it",
    ],
  ]),
  ...faults("functions/domain/releases/checking.ts", "test/long/journeys/copies.test.ts", [
    [
      "a check that was stopped half way calls all copies true",
      "isComplete && claims.every((claim) => verdicts.has(claimKey(claim)))",
      "isComplete",
      "whose time is over is done again",
    ],
  ]),
  ...faults("functions/jobs/check-copies.ts", "test/long/journeys/copies.test.ts", [
    [
      "a check that failed is never done again, so that a false copy is never named",
      "for (const messageId of messageIds) failed.add(messageId);",
      "",
      "passes to no release after it",
    ],
  ]),
  ...faults("functions/domain/sweep/unreferenced-objects.ts", "test/long/journeys/copies.test.ts", [
    [
      "what was found out of a release is deleted, and its players load whole files",
      'if (digest !== undefined && !manifests.has(digest)) yield { kind: "facts"',
      'if (digest !== undefined) yield { kind: "facts"',
      "is deleted with the manifest that it is about",
    ],
  ]),
  ...faults("functions/domain/releases/parts.ts", "test/long/faults/parts.test.ts", [
    [
      "a part is kept though it has other bytes than the file",
      "stored.sha256 === wanted?.sha256 && stored.size === wanted.size",
      "stored.size === wanted?.size",
      "at a wrong offset gets an upload URL",
    ],
    [
      "a part is copied from a file of no release that may be read",
      "sources.get(sha256)];",
      "sources.get(sha256) ?? { key: key.replace(/[^/]+$/, sha256), size: 2 ** 40 }];",
      "to a file of another project gets an upload URL",
    ],
    [
      "a part is copied from a withdrawn release",
      "sources.get(sha256)];",
      "sources.get(sha256) ?? { key: key.replace(/[^/]+$/, sha256), size: 2 ** 40 }];",
      "to a file of a withdrawn release gets an upload URL",
    ],
  ]),
  ...faults("functions/table/releases/open-releases.ts", "test/api/releases/withdrawal.test.ts", [
    [
      "withdrawn files are opened anew with other deltas",
      "[item, sameFiles].find(",
      "[item].find(",
      "do not come back with other deltas",
    ],
    [
      "withdrawn files with other deltas go live again",
      "if (filesDigest === undefined) return undefined;",
      "if (filesDigest !== slug) return undefined;",
      "do not come back with other deltas",
    ],
  ]),
  ...faults("cli/src/commands/login.ts", "test/long/journeys/device-login.test.ts", [
    [
      "a token is sent to a host that is no API of svc",
      "    await this.#serverOf(api);\n    const client",
      "    const client",
      "that responds with a page asks for no token and sends none",
    ],
  ]),
  ...faults("functions/domain/releases/packs.ts", "test/api/releases/packs.test.ts", [
    [
      "a pack writes other bytes under a file's hash",
      'bytes.length !== size || hash("sha256", bytes) !== sha256',
      "false",
      "bytes under the hash of another",
    ],
    [
      "a copy in a pack makes another file, and is a fact",
      'unpacked === undefined || hash("sha256", unpacked) !== file.sha256',
      "unpacked === undefined",
      "a copy of something else",
    ],
    [
      "a pack stores what nobody has counted",
      "const size = sizes.get(sha256);",
      "const size = sizes.get(sha256) ?? bytes.length;",
      "what the release does not name",
    ],
    [
      "what a token for previews sends in packs is the project's",
      "const prefix = uploadPrefix(actor);",
      "const prefix = ['projects', actor.project.slug, 'files/'].join('/');",
      "of who may only open previews stays its own",
    ],
  ]),
  ...faults("functions/domain/sweep/project-sweep.ts", "test/long/faults/packs.test.ts", [
    [
      "the sweep deletes a pack that somebody is sending",
      "const drafts = new Set((await readEveryRelease(slug)).filter(isDraft).map(({ id }) => id));",
      "const drafts = new Set<string>();",
      "the sweep deletes the packs of drafts that have ended, and no other",
    ],
    [
      "packs of ended drafts are stored for ever",
      "(await deleteObjects(keys, now(), leaseMilliseconds)).deleted;",
      "keys.length;",
      "the sweep deletes the packs of drafts that have ended, and no other",
    ],
  ]),
  ...faults("functions/domain/releases/proofs.ts", "test/api/releases/hidden-files.test.ts", [
    [
      "who may only open previews gets hidden bytes of the project by their hash",
      'isPreviewOnly(actor) ? proofsPrefix(slug, openerOf(actor) ?? "") : filesPrefix(slug)',
      "filesPrefix(slug)",
      "is missing until it has sent the bytes: one of another's preview",
    ],
    [
      "what one branch has sent opens the preview of another",
      'proofsPrefix(slug, openerOf(actor) ?? "") : ',
      'proofsPrefix(slug, "") : ',
      "what one branch has sent another has not",
    ],
    [
      "a draft that was sent is lost to who may publish",
      "for (const opener of openers) {",
      "for (const opener of openers.slice(1)) {",
      "whoever may publish makes live",
    ],
  ]),
  ...faults("functions/domain/releases/parts.ts", "test/api/releases/hidden-files.test.ts", [
    [
      "who may only open previews has hidden bytes copied into its own file",
      "source(uploadPrefix(actor))",
      "source(filesPrefix(project.slug))",
      "is a file above 16 MiB, and gives no part to another one",
    ],
  ]),
  ...faults("functions/domain/releases/checking.ts", "test/api/releases/hidden-files.test.ts", [
    [
      "the check of a delta tells who may only open previews the bytes of its dictionary",
      "!this.#onlyNamed || ",
      "true || ",
      "is no dictionary that tells whether a delta unpacks",
    ],
  ]),
  ...faults("functions/domain/sweep/unreferenced-objects.ts", "test/api/releases/hidden-files.test.ts", [
    [
      "what drafts of pull requests have sent is stored for ever",
      "yield* unneededProofs(slug, proving, reading);",
      "",
      "is deleted with its last draft",
    ],
    [
      "the sweep deletes what an open draft has sent",
      "return needed.hashes.has(compact(sha256)) ? undefined : { opener, sha256 };",
      "return { opener, sha256 };",
      "is deleted with its last draft",
    ],
  ]),
  ...faults("functions/domain/sweep/project-sweep.ts", "test/long/faults/parts.test.ts", [
    [
      "parts of discarded drafts are stored and counted for nobody",
      "await abortUploads(objects);",
      "",
      "are deleted when they are counted no longer",
    ],
  ]),
  ...faults("functions/domain/sweep/unreferenced-objects.ts", "test/long/faults/parts.test.ts", [
    [
      "the sweep deletes the parts of a draft that is being uploaded",
      "if (isOfPart && !sizes.has(hash)) yield",
      "if (isOfPart) yield",
      "are deleted when they are counted no longer",
    ],
  ]),
  ...faults("functions/domain/publishers/exchange.ts", "test/api/publishers/exchange-refusals.test.ts", [
    [
      "the job of one account gets the project of another",
      "ownerKey !== undefined && project.ownerKey !== ownerKey",
      'ownerKey === ""',
      "another account's than the job names",
    ],
    [
      "a job that names no owner publishes into the project of whoever took the address",
      "if (ownerKey === undefined) await assertPublishedBefore(slug, job);",
      "",
      "a job that names no owner gets no token for a project with no release",
    ],
    [
      "a job's identity token is exchanged twice",
      'if (refused === "spent") throw spentBefore();',
      "",
      "for a second exchange of an identity token",
    ],
  ]),
  ...faults("options/profiles/contract/telemetry.ts", "options/profiles/test/grants.test.ts", [
    ["a member profiles a game that another uid owns", 'project: "owner",', "", "is for the uid that owns the game"],
  ]),
  ...faults("options/profiles/functions/profiles.ts", "options/profiles/test/long/security/telemetry-grants.test.ts", [
    [
      "a grant stays with who does not own the game",
      "project.ownerKey === grant.accountKey &&",
      "",
      "as a version stored it that gave them one",
    ],
  ]),
  ...faults("options/reports/functions/crashes.ts", "options/reports/test/reports.test.ts", [
    [
      "a report for a foreign release counts",
      'shown.kind !== "live" || ![shown.live, ...shown.earlier].includes(release)',
      'shown.kind !== "live"',
      "of another project's release",
    ],
    [
      "crashes are counted of a project that switched that off",
      'project?.switchedOff?.includes("reports")',
      "false",
      "has pages that tell browsers nothing",
    ],
  ]),
  ...faults("options/reports/functions/crash-items.ts", "options/reports/test/reports.test.ts", [
    [
      "a stranger makes writes without a limit",
      '"attribute_not_exists(#total) OR #total <= :room"',
      '"attribute_not_exists(#total) OR #total <> :room"',
      "changes nothing above 1,000 of a release in an hour",
    ],
  ]),
  ...faults("options/reports/functions/worse-notice.ts", "options/reports/test/worse-notice.test.ts", [
    [
      "a stranger causes a mail with each hour's report",
      "worseKey(project.slug, worse.release.id)",
      "worseKey(project.slug, newId(now))",
      "is told once, whoever reports",
    ],
  ]),
  ...faults("options/profiles/functions/telemetry-grants.ts", "options/profiles/test/grants.test.ts", [
    [
      "an account makes grants without a limit",
      "Object.keys(active).length >= limits.telemetryGrantsPerAccount",
      "Object.keys(active).length < 0",
      "is refused beyond ten of an account",
    ],
  ]),
];
