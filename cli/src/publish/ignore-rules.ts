import * as fs from "node:fs";
import * as path from "node:path";
import ignore from "ignore";
import { UserError } from "../errors.ts";
import { hasErrorCode, systemReason } from "../system-error.ts";

/**
 * Names that mostly hold secrets. A published file is public: one of these goes out only where `!name` asks for it. None
 * ends in a slash, for a folder may be a symbolic link to one.
 */
const secretPatterns = [
  ".env*",
  ".dev.vars",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".yarnrc*",
  ".pypirc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  "credentials",
  "credentials.json",
  "client_secret*.json",
  "service-account*.json",
  "serviceAccount*.json",
  "secrets.json",
  "secrets.y*ml",
  "secrets.toml",
  "terraform.tfstate*",
  "*.tfvars",
];

/** What is no part of any game. */
const clutterPatterns = [
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".DS_Store",
  "Thumbs.db",
  "desktop.ini",
  ".svcignore",
  "svc.toml",
  "*.swp",
  "*~",
];

export type Verdict = "publish" | "ignored" | "secret";

/** Says of a path in the published folder whether it is published; folders end in `/`. */
export type Judge = (path: string) => Verdict;

/**
 * The rules of a folder: built-in ones, then `ignore` of svc.toml, then the .svcignore beside svc.toml, then that of the
 * folder itself. Later ones win, so `!name` brings back what an earlier one kept out. The syntax is that of .gitignore.
 */
export function ignoreRules(folder: string, projectDirectory: string, patterns: readonly string[]): Judge {
  const own = [...patterns, ...readPatterns(projectDirectory)];
  if (path.resolve(folder) !== path.resolve(projectDirectory)) own.push(...readPatterns(folder));
  // Disks and editors disagree on how to write an ö; paths are published in form C.
  const all = ignore()
    .add(secretPatterns)
    .add(clutterPatterns)
    .add(own.map((pattern) => pattern.normalize("NFC")));
  const secrets = ignore().add(secretPatterns);
  return (candidate) => {
    const name = candidate.normalize("NFC");
    if (!all.ignores(name)) return "publish";
    return secrets.ignores(name) ? "secret" : "ignored";
  };
}

function readPatterns(directory: string): string[] {
  const file = path.join(directory, ".svcignore");
  try {
    return fs.readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw new UserError(`${file} cannot be read: ${systemReason(error)}.`, { code: "ignore_file_unreadable" });
  }
}
