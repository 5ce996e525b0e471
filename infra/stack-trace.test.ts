import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { bundleChangedFunctions, bundleFolderOf } from "./bundle.ts";

test("a stack trace of a bundle gets the positions in the sources", async () => {
  await bundleChangedFunctions();
  const call = `import("file://${bundleFolderOf("get-health")}/index.mjs")
    .then(({ handler }) => handler({}, {}))
    .catch((error) => console.log(error.stack));`;
  const stackTrace = execFileSync(process.execPath, ["-e", call], { encoding: "utf8" });
  expect(stackTrace).toContain("index.mjs:");
  const translated = execFileSync(process.execPath, ["infra/stack-trace.ts", "get-health"], {
    input: stackTrace,
    encoding: "utf8",
  });
  expect(translated).toMatch(/\(functions\/http\/middleware\/[\w-]+\.ts:\d+:\d+\)/);
  expect(translated).not.toContain("index.mjs");
});

test.each(["", "get-nothing", "--help", "../../local"])("for %j it says how it is used", (word) => {
  expect(spawnSync(process.execPath, ["infra/stack-trace.ts", word], { encoding: "utf8" })).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "Name the function, after npm run build: node infra/stack-trace.ts -- get-me < trace.txt\n",
  });
});
