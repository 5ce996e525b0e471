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

test("without a function's name it says how it is used", () => {
  expect(spawnSync(process.execPath, ["infra/read-stack.ts"], { encoding: "utf8" })).toMatchObject({
    status: 2,
    stderr: "Say which function: npm run --silent read-stack -- get-me < stack.txt\n",
  });
});
