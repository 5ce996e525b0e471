import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Node's compile cache for programs that tests start often: loading the AWS SDK takes half of their time. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compiled-programs", import.meta.url)),
};

/** Output and exit code that a program left behind. */
export interface ProgramResult {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const longestMilliseconds = 120_000;

/**
 * Runs one of the repository's programs until it exits, for two minutes at most.
 *
 * @param path from the repository's root: `programs/local.ts`
 * @param env environment variables beyond those of this process; undefined takes one away
 */
export async function runProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProgramResult> {
  const program = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  execFile(
    process.execPath,
    [program, ...args],
    { env: { ...process.env, ...compileCache, ...env }, timeout: longestMilliseconds },
    (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return await promise;
}
