import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { eventually } from "../../test/support/eventually.ts";
import { useGuideCopy } from "../../test/support/guide.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * `cdk watch` beside a stage for trials: a function that is changed is replaced there by Lambda's API, without a deployment of
 * CloudFormation. `--hotswap`, because the stage on MiniStack lacks resources that a deployment would add (lab/cloud/unsupported.ts).
 */

const test = testWith(cloudTool);
const copy = useGuideCopy();
const handler = "functions/handlers/get-root.ts";

let cloud: Cloud;
let api: string;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  api = apiIn(await cloud.deploy("trial", { disposable: true }, copy.folder));
}, 900_000);
afterAll(() => cloud?.stop());

/** Runs `cdk watch` in the copy until the work is done. */
async function watching(work: (printed: () => string) => Promise<void>): Promise<void> {
  const words = ["watch", "--hotswap", "-c", "stage=trial", "-c", `stages=${cloud.stagesFile}`, "svc-trial"];
  const watch = spawn(process.execPath, [join(copy.folder, "node_modules/aws-cdk/bin/cdk"), ...words], {
    cwd: copy.folder,
    env: cloud.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [watch.stdout, watch.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  try {
    await work(() => printed);
  } catch (error) {
    throw new Error(`${error}\n${printed.slice(-4_000)}`);
  } finally {
    watch.kill("SIGKILL");
    await once(watch, "close");
  }
}

const name = async () => ((await (await fetch(`${api}/`)).json()) as { name: string }).name;
const events = async () =>
  (await cloud.aws("cloudformation", "describe-stack-events", "--stack-name", "svc-trial")).StackEvents.length;
const codeOf = async (route: string) =>
  (await cloud.aws("lambda", "get-function-configuration", "--function-name", `svc-trial-${route}`)).CodeSha256;

test("a changed function runs in the stage, others are as they were, and CloudFormation changes nothing", async () => {
  await watching(async (printed) => {
    await eventually(() => expect(printed()).toContain("Deployment time"), 120_000);
    expect(await name()).toBe("svc");
    const before = [await events(), await codeOf("get-health")];
    const source = readFileSync(join(copy.folder, handler), "utf8");
    await copy.write(handler, source.replace('name: "svc",', 'name: "changed" as "svc",'));
    await eventually(async () => expect(await name()).toBe("changed"), 120_000);
    expect([await events(), await codeOf("get-health")]).toEqual(before);
    console.log(
      printed()
        .match(/hotswap-deployment time: .*/g)
        ?.join(", "),
    );
  });
}, 600_000);
