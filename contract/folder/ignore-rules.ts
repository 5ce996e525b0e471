/*
 * Rules for the paths of a folder that are published, the same for the command line and the dashboard.
 */
import ignore from "ignore";
import { type Advice, aboutPlaces } from "./advice.ts";

/**
 * Files that tools keep beside a game: settings, histories, caches. No player asks for such a file. Browsers and other programs
 * ask for `.well-known` (RFC 8615).
 */
const dotPatterns = [".*", "!.well-known"];

/**
 * Names that usually contain secrets. Published files are public, so one of these is published only if `!name` asks for
 * it. No pattern ends in a slash, because a symbolic link to a folder is not matched by such a pattern.
 */
const secretPatterns = [
  // Keys and passwords.
  ".env*",
  // Names of .env files whose dot was lost; no *.env, which is also a format of textures.
  "env.local",
  "env.dev",
  "env.development",
  "env.test",
  "env.stag*",
  "env.prod",
  "env.production",
  "env.*.local",
  "local.env",
  "dev.env",
  "development.env",
  "staging.env",
  "prod.env",
  "production.env",
  "docker.env",
  "secret*.env",
  ".dev.vars",
  "*.pem",
  "*.key",
  "*.p8",
  "*.p12",
  "*.pkcs12",
  "*.pkcs8",
  "*.pfx",
  "*.ppk",
  "*.jks",
  "*.keystore",
  "*.jceks",
  "*.bks",
  "*.keytab",
  "*.gpg",
  "*.pgp",
  "*.kdb",
  "*.kdbx",
  "*.psafe3",
  "*.opvault",
  "*.agilekeychain",
  "*.keychain*",
  "*.1pif",
  "*.1pux",
  "bitwarden_export*",
  "*.secret",
  "*.secrets",
  "password.txt",
  "passwords.*",
  "recovery-codes*.txt",
  "wallet.dat",
  "*.ovpn",
  "*.mobileprovision",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  "ssh_host_*_key*",
  "known_hosts*",
  "authorized_keys*",
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".netrc",
  "_netrc",
  "netrc",
  ".npmrc",
  "npmrc",
  ".yarnrc*",
  "yarnrc.yml",
  ".pypirc",
  "pypirc",
  ".pgpass",
  "pgpass",
  ".htpasswd",
  "htpasswd",
  "htdigest",
  ".git-credentials",
  "git-credentials",
  ".dockercfg",
  "dockercfg",
  "*dockerconfigjson",
  ".s3cfg",
  "s3cfg",
  ".boto",
  "boto.cfg",
  ".my.cnf",
  "my.cnf",
  ".vault_pass*",
  "vault_pass*",
  "vault-password*",
  "credentials",
  "credentials.json",
  "credentials.y*ml*",
  "credentials.toml",
  "credentials.xml",
  "credentials.csv",
  "credentials.tfrc.json",
  "*_credentials.json",
  "*-credentials.json",
  "*accessKeys.csv",
  "application_default_credentials.json",
  "client_secret*.json",
  "service-account*.json",
  "service_account*.json",
  "gcp-key*.json",
  "sa-key*.json",
  "serviceAccount*.json",
  "*firebase-adminsdk*.json",
  "secrets.json",
  "secrets.y*ml",
  "secrets.toml",
  "secrets.txt",
  "secret.json",
  "secret.y*ml",
  "secret.toml",
  "values.secret*",
  "database.y*ml",
  "token.pickle",
  "cookies.txt",
  "cookies.sqlite*",
  // Settings of a deployment.
  "*.tfstate*",
  "*.tfvars*",
  "*.tfplan*",
  "terraform.rc",
  "Pulumi.*.y*ml",
  "kubeconfig",
  "*.kubeconfig",
  "docker-compose*.y*ml",
  "compose.y*ml",
  "serverless.y*ml",
  "wrangler.toml",
  "wrangler.json*",
  "fly.toml",
  "local.settings.json",
  "*.publishsettings",
  "*.pubxml*",
  "sftp-config.json",
  "rclone.conf",
  "wp-config.php",
  // Engines: passwords of key stores, keys of encryption, licences, the token of itch.io.
  "export_presets.cfg",
  "export_credentials.cfg",
  "key.properties",
  "keystore.properties",
  "local.properties",
  "gradle.properties",
  "*.ulf",
  "butler_creds",
  // What Steam's build tools sign in with.
  "loginusers.vdf",
  "config.vdf",
  "ssfn*",
  // Histories, databases and dumps.
  ".*_history",
  "bash_history",
  "zsh_history",
  "*.har",
  "*.pcap",
  "*.pcapng",
  "*.rdp",
  "*.sql",
  "*.sql.*",
  // Databases of servers, by the names that frameworks give them: others are a game's data.
  "db.sqlite*",
  "database.sqlite*",
  "dev.sqlite*",
  "development.sqlite*",
  "local.sqlite*",
  "prod.sqlite*",
  "production.sqlite*",
  "test.sqlite*",
  "app.db",
  "database.db",
  "dev.db",
  "development.db",
  "local.db",
  "prod.db",
  "production.db",
  "test.db",
  "users.db",
  // What is not yet written into a database.
  "*.db-*",
  "*.sqlite-*",
  "*.sqlite3-*",
  "*.mdb",
  "*.accdb",
  "*.rdb",
  "*.dump",
  // Logs, and what a program had in memory when it crashed.
  "*.log",
  "*-debug.log*",
  "*.dmp",
  "*.mdmp",
  "*.hprof",
  "*.heapsnapshot",
  "*.stackdump",
  "core.[0-9]*",
];

/** Files that macOS and Windows write into folders and zips. */
const litterPatterns = [
  ".DS_Store",
  "._*",
  "__MACOSX",
  // Its name ends with a carriage return.
  "Icon[\r]",
  "Thumbs.db*",
  "ehthumbs*.db",
  "desktop.ini",
  "$RECYCLE.BIN",
  "System Volume Information",
  "Network Trash Folder",
  "Temporary Items",
  "*:Zone.Identifier",
  "*.lnk",
];

/** Names that are not part of any game. */
const otherPatterns = ["node_modules", "svc.toml", "*.swp", "*.bak", "*~"];

export type Verdict = "publish" | "ignored" | "secret";

/** Decides whether a path in the folder is published; folders end in `/`. */
export type Judge = (path: string) => Verdict;

export interface IgnoreRules {
  readonly judge: Judge;
  /** The pattern that excludes a path, and its source; undefined if the path is published. */
  ruleOf(path: string): LeftOutBy | undefined;
  /** The folder's own patterns that matched none of the paths that were judged. */
  unmatched(): readonly LeftOutBy[];
}

export interface LeftOutBy {
  readonly pattern: string;
  readonly source: Source;
}

type Source = "built-in" | "svc.toml" | ".svcignore";
/** Mark that the library keeps beside a pattern. */
type Mark = Source | "secret";

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
    .add(from("built-in", dotPatterns))
    .add(from("secret", secretPatterns))
    .add(from("built-in", [...litterPatterns, ...otherPatterns]))
    .add(from("svc.toml", settings));
  const ofFiles = ignoreFiles.flatMap((text) => text.split(/\r?\n/));
  all.add(from(".svcignore", ofFiles));
  const rule = (candidate: string) => all.test(candidate.normalize("NFC")).rule;
  const unmatched = new Set([...matchers("svc.toml", settings), ...matchers(".svcignore", ofFiles)]);
  return {
    judge: (candidate) => {
      for (const pattern of unmatched) if (pattern.matches(candidate.normalize("NFC"))) unmatched.delete(pattern);
      const by = rule(candidate)?.mark as Mark | undefined;
      if (by === undefined) return "publish";
      return by === "secret" ? "secret" : "ignored";
    },
    ruleOf: (candidate) => {
      const by = rule(candidate);
      const mark = by?.mark as Mark;
      return by && { pattern: by.pattern, source: mark === "secret" ? "built-in" : mark };
    },
    unmatched: () => [...unmatched].map(({ pattern, source }) => ({ pattern, source })),
  };
}

/** Each pattern alone, whatever the others say: one that begins with ! too. */
function matchers(source: Source, patterns: readonly string[]) {
  return patterns.flatMap((line) => {
    const pattern = line.trim();
    if (pattern === "" || pattern.startsWith("#")) return [];
    const alone = ignore().add(pattern.replace(/^!/, "").normalize("NFC"));
    return [{ pattern, source, matches: (path: string) => alone.ignores(path) }];
  });
}

/** Advice about patterns that exclude nothing: a mistyped one lets a file go live. */
export function unmatchedAdvice(rules: Pick<IgnoreRules, "unmatched">): Advice[] {
  return aboutPlaces(
    "patterns_unmatched",
    rules.unmatched().map(({ pattern, source }) => `${pattern} (${source})`),
  );
}

/** Whether macOS or Windows has written a file, by its path. */
export function isLitter(path: string): boolean {
  return litter.ignores(path);
}

const litter = ignore().add(litterPatterns);

/** In Unicode normalisation form C, as paths are: file systems and editors write an ö in different forms. */
function from(mark: Mark, patterns: readonly string[]) {
  return patterns.map((pattern) => ({ pattern: pattern.normalize("NFC"), mark }));
}
