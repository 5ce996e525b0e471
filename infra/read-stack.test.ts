import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { bundleChangedFunctions, bundleFolderOf } from "./bundle.ts";

test("a stack of a bundle names places in the sources", async () => {
  await bundleChangedFunctions();
  const call = `import("file://${bundleFolderOf("get-health")}/index.mjs")
    .then(({ handler }) => handler({}, {}))
    .catch((error) => console.log(error.stack));`;
  const stack = execFileSync(process.execPath, ["-e", call], { encoding: "utf8" });
  expect(stack).toContain("index.mjs:");
  const read = execFileSync(process.execPath, ["infra/read-stack.ts", "get-health"], {
    input: stack,
    encoding: "utf8",
  });
  expect(read).toMatch(/\(functions\/http\/[\w-]+\.ts:\d+:\d+\)/);
  expect(read).not.toContain("index.mjs");
});

test.each(["", "get-nothing", "--help", "../../local"])("for %j it says how it is used", (word) => {
  expect(spawnSync(process.execPath, ["infra/read-stack.ts", word], { encoding: "utf8" })).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "Say which function, after npm run build: npm run --silent read-stack -- get-me < stack.txt\n",
  });
});
