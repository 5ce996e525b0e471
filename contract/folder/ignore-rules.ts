/*
 * Which paths of a folder are published: the same for everything that publishes one, the command line and the dashboard.
 */
import ignore from "ignore";

/**
 * Names that usually contain secrets. Published files are public, so one of these is published only if `!name` asks for
 * it. No pattern ends in a slash, because a symbolic link to a folder is not matched by such a pattern.
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

/** Names that are not part of any game. */
const otherPatterns = [
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

/** Decides whether a path in the folder is published; folders end in `/`. */
export type Judge = (path: string) => Verdict;

export interface IgnoreRules {
  readonly judge: Judge;
  /** The pattern that excludes a path, and its source; undefined if the path is published. */
  ruleOf(path: string): LeftOutBy | undefined;
}

export interface LeftOutBy {
  readonly pattern: string;
  readonly source: Source;
}

type Source = "built-in" | "svc.toml" | ".svcignore";

/** The patterns of a folder, besides the built-in ones. */
export interface FolderPatterns {
  /** `ignore` of svc.toml. */
  readonly settings: readonly string[];
  /** The texts of the .svcignore files, that beside svc.toml first. */
  readonly ignoreFiles: readonly string[];
}

/**
 * The rules of a folder, in the syntax of .gitignore: built-in ones, then `ignore` of svc.toml, then the .svcignore beside
 * svc.toml, then that of the folder. The last rule that matches decides, so `!name` includes what an earlier one excludes.
 */
export function ignoreRulesOf({ settings, ignoreFiles }: FolderPatterns): IgnoreRules {
  const all = ignore()
    .add(from("built-in", [...secretPatterns, ...otherPatterns]))
    .add(from("svc.toml", settings));
  for (const text of ignoreFiles) all.add(from(".svcignore", text.split(/\r?\n/)));
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

/** In Unicode normalisation form C, as paths are: file systems and editors write an ö in different forms. */
function from(source: Source, patterns: readonly string[]) {
  return patterns.map((pattern) => ({ pattern: pattern.normalize("NFC"), mark: source }));
}
