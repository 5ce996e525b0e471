import { transformSync } from "esbuild";
import { runtimeSyntax } from "../../../infra/bundles/viewer-functions.ts";

/**
 * Syntax of the code that is neither ECMAScript 5.1 nor one of the runtime's additions. If esbuild must write something else
 * to reach that target, the code has syntax that the runtime lacks.
 */
export function syntaxProblem(code: string): string | undefined {
  try {
    const lowered = transformSync(code, { ...runtimeSyntax, logLevel: "silent" });
    return lowered.code === transformSync(code, { target: "esnext" }).code ? undefined : `lowered: ${lowered.code}`;
  } catch (error) {
    return String(error);
  }
}
