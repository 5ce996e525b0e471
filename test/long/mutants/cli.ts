import { type Mutant, mutantsOf } from "./mutant.ts";

const rules = "cli/src/publish/ignore-rules";

/** Each mutant removes one of the patterns for secrets. */
const secretPatterns =
  ".env* .dev.vars *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh .aws .gnupg .kube .docker .netrc _netrc .npmrc .yarnrc* .pypirc .pgpass .htpasswd .git-credentials credentials credentials.json client_secret*.json service-account*.json serviceAccount*.json secrets.json secrets.y*ml secrets.toml terraform.tfstate* *.tfvars".split(
    " ",
  );

/** The command line. */
export const cliMutants: readonly Mutant[] = [
  ...mutantsOf(
    "cli/src/publish/ignore-rules.ts",
    rules,
    secretPatterns.map((pattern) => [`  "${pattern}",\n`, ""] as const),
  ),
  ...mutantsOf("cli/src/publish/ignore-rules.ts", rules, [
    ['candidate.normalize("NFC");\n      if', "candidate;\n      if"],
    ['return secrets.ignores(name) ? "secret" : "ignored"', 'return "ignored"'],
  ]),
  ...mutantsOf("cli/src/http/tunnel.ts", "test/long/faults/cli.test", [
    [
      "        socket,\n        host,\n",
      "        socket,\n        host,\n        rejectUnauthorized: false,\n",
      "proxy",
    ],
    [
      "        socket,\n        host,\n",
      "        socket,\n        host,\n        checkServerIdentity: () => undefined,\n",
      "proxy",
    ],
    [
      "      secured.setTimeout(timeoutMilliseconds, () => secured.destroy(timeoutError(url, timeoutMilliseconds)));\n",
      "",
      "does not respond is waited for",
    ],
    ["      if (response.statusCode !== 200) {", "      if (false) {", "refuses"],
  ]),
  ...mutantsOf("cli/src/http/send.ts", "test/long/faults/endless-server", [
    [
      '    outgoing.on("timeout", () => outgoing.destroy(timeoutError(url, request.timeoutMilliseconds)));\n',
      "",
      "missing response",
    ],
    ["length > largestResponse", "false"],
    [
      '    limitDuration(outgoing, url, { ...request, bytes: Buffer.byteLength(request.body ?? "") });\n',
      "",
      "a byte now and then",
    ],
  ]),
  ...mutantsOf("cli/src/client.ts", "test/long/faults/broken-server", [
    ["(!isOnce || failure.isUnsent)", "true", "not sent again"],
    ["status !== 501 && !isOnce", "status !== 501", "not sent again"],
    ['method !== "GET" || ', "", "^a request that changes"],
  ]),
  ...mutantsOf("cli/src/client.ts", "test/long/faults/cli.test", [
    ["if (to.origin === from.origin) return to;", "return to;", "redirect"],
    [" || redirects >= 5", "", "repeats for ever"],
    ["failure.isTransient && !isLocalRefusal && ", "failure.isTransient && ", "nothing listens"],
    ["tries: 5", "tries: 6", "five tries"],
  ]),
  ...mutantsOf("cli/src/credential-file.ts", "test/cli/credential-file", [
    ["      if (!isWindows) fs.fchmodSync(descriptor, 0o600);\n", ""],
    ["    if (!status.isFile()) throw notAFile(file);\n", ""],
    ["fs.constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "fs.constants.O_RDONLY | O_NOFOLLOW"],
    ["fs.constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "fs.constants.O_RDONLY | O_NONBLOCK"],
    ["    removeTemporaryFiles(directory, 60_000);\n", ""],
    ["    removeTemporaryFiles(path.dirname(file), 0);\n", ""],
    ["removeTemporaryFiles(directory, 60_000)", "removeTemporaryFiles(directory, 0)"],
    ["if (!isWindows && (status.mode & 0o077) !== 0) warn", "if (false) warn"],
  ]),
  ...mutantsOf("cli/src/credential-file.ts", "test/long/faults/killed-login", [
    ["fs.renameSync(temporary, file);", 'fs.writeFileSync(file, "");\n    fs.renameSync(temporary, file);'],
    ["fs.openSync(temporary, flags, 0o600)", "fs.openSync(temporary, flags, 0o666)"],
  ]),
  ...mutantsOf("cli/src/private-directory.ts", "test/cli/credential-file", [
    ['    if (process.platform !== "win32") fs.chmodSync(directory, 0o700);\n', ""],
  ]),
  ...mutantsOf("cli/src/publish/hash-cache.ts", "cli/src/publish/hash.test", [
    [" && ctimeMs === knownCtime", ""],
    ["now - Math.max(mtimeMs, ctimeMs) < recentMilliseconds", "false"],
    ["hashedAt - Math.max(mtimeMs, ctimeMs) >= recentMilliseconds", "true"],
  ]),
  ...mutantsOf("cli/src/publish/hash-files.ts", "cli/src/publish/hash.test", [
    [" && mtimeMs === expected.mtimeMs", ""],
    ["length === expected.size && size === expected.size && ", ""],
    [" | (fs.constants.O_NOFOLLOW ?? 0)", ""],
  ]),
  ...mutantsOf("cli/src/publish/put-file.ts", "test/long/faults/broken-server", [
    [" | (fs.constants.O_NOFOLLOW ?? 0)", "", "becomes a link"],
  ]),
  ...mutantsOf("cli/src/publish/upload.ts", "test/long/faults/broken-server", [
    [" || status === 412", "", "412"],
    ['status === 403 || (status === 400 && code === "ExpiredToken")', "false", "requested again where"],
  ]),
  ...mutantsOf("cli/src/publish/publish.ts", "test/long/faults/broken-server", [
    ["round < 3", "round < 1", "sent again"],
  ]),
  ...mutantsOf("cli/src/text.ts", "cli/src/text", [['text.replace(tokenLike, "pat_…")', "text", "masked"]]),
];
