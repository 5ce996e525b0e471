import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestService } from "./service/service.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every document of the repository, by its path from the root. */
export const documents = globSync(["*.md", "{docs,bench,cli,examples,infra}/**/*.md"], {
  cwd: root,
  exclude: ["**/node_modules", "**/dist"],
});

export const readDocument = (path: string) => readFileSync(join(root, path), "utf8");

/** A block of a document in a language. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Why no test runs it: `<!-- not run: REASON -->` on the line above it. */
  readonly notRun: string | undefined;
}

const fenced = /(?:^ *<!-- not run: ([^\n]+) -->\n)?^( *)```([\w ]*)\n(.*?)^\2```$/gms;

export function codeBlocks(document: string): CodeBlock[] {
  return [...readDocument(document).matchAll(fenced)].map(([, notRun, indent = "", language = "", text = ""]) => ({
    language,
    notRun,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/**
 * The shell blocks of a document that its test runs, with the URLs of a service in place of those that a reader has.
 *
 * @throws Error if they are not as many as the test runs
 */
export function blocksToRun(document: string, count: number, service?: TestService): string[] {
  const blocks = codeBlocks(document).filter(({ language, notRun }) => language === "sh" && notRun === undefined);
  if (blocks.length !== count)
    throw new Error(`${document} has ${blocks.length} shell blocks to run, and its test runs ${count}`);
  return blocks.map(({ text }) => (service === undefined ? text : atService(text, service)));
}

export function atService(text: string, { api, gamesDomain }: TestService): string {
  return text.replaceAll("http://127.0.0.1:8787", api).replaceAll("localhost:8787", gamesDomain);
}

/** The shell of a reader who has nothing set. It ends at the first command that fails. */
export const emptyShell = ["bash", "--noprofile", "--norc", "-euo", "pipefail"];

/** Variables that a reader's shell needs to find svc; with a service, those that local programs need to find it at its ports. */
export function shellEnvironment(service?: TestService): Record<string, string> {
  return {
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
    ...(service && { PORT: new URL(service.api).port, IDP_PORT: new URL(service.issuer).port }),
  };
}
