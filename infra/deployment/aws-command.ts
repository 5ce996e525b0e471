import { execFile } from "node:child_process";
import { promisify } from "node:util";

// biome-ignore lint/suspicious/noExplicitAny: what the AWS command line and the API print, checked where it is read
export type Json = any;

/** Runs `aws` with these arguments and returns what it prints. */
export type Aws = (...args: readonly string[]) => Promise<Json>;

/** Where a stack is. */
export interface StackPlace {
  readonly name: string;
  readonly region: string;
  /** The AWS command line of that region. */
  readonly aws: Aws;
}

/** Something that a stack has made, by its name in its service. */
export interface MadeResource {
  readonly type: string;
  readonly name: string;
}

/** The AWS command line, which docs/operations use too. */
export function awsCommand(region: string): Aws {
  return async (...args) => {
    const options = ["--region", region, "--output", "json"];
    // A stage's template has 700 kB.
    const { stdout } = await promisify(execFile)("aws", [...args, ...options], { maxBuffer: 32 * 1024 ** 2 });
    return stdout.trim() === "" ? {} : JSON.parse(stdout);
  };
}

/** The credentials of the AWS command line, also those of its profile or its sign-in, as the environment names them. */
export async function exportedCredentials(aws: Aws): Promise<Readonly<Record<string, string>>> {
  const { AccessKeyId, SecretAccessKey, SessionToken = "" } = await aws("configure", "export-credentials");
  return { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey, AWS_SESSION_TOKEN: SessionToken };
}
