import * as path from "node:path";
import ignore from "ignore";
import { usageError } from "../errors.ts";
import { readSmallFile } from "../small-file.ts";

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

export interface IgnoreRules {
  readonly judge: Judge;
  /** The pattern by which a path is left out, and where it stands; undefined where it is published. */
  ruleOf(path: string): LeftOutBy | undefined;
}

export interface LeftOutBy {
  readonly pattern: string;
  readonly source: Source;
}

/** Where a pattern stands. */
type Source = "built-in" | "svc.toml" | ".svcignore";

/**
 * The rules of a folder: built-in ones, then `ignore` of svc.toml, then the .svcignore beside svc.toml, then that of the
 * folder itself. Later ones win, so `!name` brings back what an earlier one kept out. The syntax is that of .gitignore.
 */
export function ignoreRules(folder: string, projectDirectory: string, patterns: readonly string[]): IgnoreRules {
  const all = ignore()
    .add(from("built-in", [...secretPatterns, ...clutterPatterns]))
    .add(from("svc.toml", patterns))
    .add(from(".svcignore", readPatterns(projectDirectory)));
  if (path.resolve(folder) !== path.resolve(projectDirectory)) all.add(from(".svcignore", readPatterns(folder)));
  const secrets = ignore().add(secretPatterns);
  return {
    judge: (candidate) => {
      const name = candidate.normalize("NFC");
      if (!all.ignores(name)) return "publish";
      return secrets.ignores(name) ? "secret" : "ignored";
    },
    ruleOf: (candidate) => {
      const { rule } = all.checkIgnore(candidate.normalize("NFC"));
      return rule && { pattern: rule.pattern, source: rule.mark as Source };
    },
  };
}

/** Disks and editors disagree on how to write an ö; paths are published in form C. */
function from(source: Source, patterns: readonly string[]) {
  return patterns.map((pattern) => ({ pattern: pattern.normalize("NFC"), mark: source }));
}

function readPatterns(directory: string): string[] {
  const file = path.join(directory, ".svcignore");
  const text = readSmallFile(file, (why) => usageError(`${file} ${why}`, { code: "ignore_file_unreadable" }));
  return text?.split(/\r?\n/) ?? [];
}
