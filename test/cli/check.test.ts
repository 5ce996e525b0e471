import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { cliEnvironment, cliProgram, inventToken, writeFiles } from "../support/cli/cli.ts";
import { eventually } from "../support/eventually.ts";
import { useCliUser } from "../support/service/suite.ts";

const person = useCliUser();

/** Of a machine without a browser. */
const check = (...args: string[]) => person.run(["check", "game", "--json", ...args], { env: { PATH: person.home } });

test("svc check without a browser says what it could not do, and exits with 5", async () => {
  writeFiles(join(person.home, "game"), { "index.html": "<h1>Game</h1>" });
  const { code, json } = await check();
  expect({ code, error: json.error }).toMatchObject({ code: 5, error: { code: "browser_missing", exit_code: 5 } });
  expect(json.error.next).toContain("nothing is known about the game");
  const named = await check("--browser", join(person.home, "chrome"));
  expect(named.json.error).toMatchObject({ code: "browser_missing", message: `${person.home}/chrome is no program.` });
});

test("svc check with a program that is no browser exits with 5", async () => {
  writeFiles(join(person.home, "game"), { "index.html": "<h1>Game</h1>" });
  const { code, json } = await check("--browser", process.execPath);
  expect({ code, error: json.error }).toMatchObject({ code: 5, error: { code: "browser_failed" } });
});

/** A browser that never finishes a screenshot, and then makes the file `asked` beside it. */
const hangingBrowser = `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const { Socket } = require("node:net");
const output = new Socket({ fd: 4 });
new Socket({ fd: 3 }).setEncoding("utf8").on("data", (text) => {
  for (const { id, method } of text.split("\\0").filter(Boolean).map(JSON.parse)) {
    if (method === "Page.captureScreenshot") writeFileSync(__dirname + "/asked", "");
    else output.write(JSON.stringify({ id, result: { userAgent: "" } }) + "\\0");
    if (method === "Browser.close") output.end(() => process.exit());
  }
});
`;

(process.platform === "win32" ? test.skip : test)(
  "Ctrl-C ends svc publish --check while a game is started, and its browser",
  async () => {
    const temporary = join(person.home, "tmp");
    mkdirSync(temporary);
    writeFiles(person.home, { "game/index.html": "<h1>Game</h1>", browser: hangingBrowser });
    chmodSync(join(person.home, "browser"), 0o755);
    const env = cliEnvironment(person.home, {
      ...{ SVC_API: "http://127.0.0.1:9", SVC_TOKEN: inventToken() },
      ...{ CHROME_PATH: join(person.home, "browser"), TMPDIR: temporary },
    });
    const child = spawn(process.execPath, [cliProgram, "publish", "game", "-p", "game", "--check"], {
      cwd: person.home,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said = child.stderr.setEncoding("utf8").toArray();
    await eventually(() => expect(existsSync(join(person.home, "asked"))).toBe(true));
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
    expect((await said).join("")).toContain("Interrupted. The live release is untouched.");
    expect(readdirSync(temporary)).toEqual([]);
  },
);
