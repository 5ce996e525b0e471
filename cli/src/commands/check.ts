import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { example, SvcCommand } from "../command.ts";
import { exitCodes } from "../errors.ts";
import { printable } from "../text.ts";

export class Check extends SvcCommand {
  static override summary = "Start a folder's game in a browser, and say what is wrong.";
  static override description =
    "Starts the game in the installed Chromium, Chrome or Edge, on a desktop's and on a phone's screen, as svc would serve it: when the " +
    "first frame is drawn, what is loaded until then, which files are missing, which scripts fail, how much memory it needs. Then " +
    "a row for each of six sites of games, by their own rules. Needs no account, no token and no network, and publishes " +
    "nothing. The exit code is 1 if the game does not start, and 5 if no browser is installed.";
  static override examples = [
    example("Check the folder of svc.toml"),
    example("Another folder, with a minute to load", "dist --wait 60"),
    example("In a script", "dist --json"),
  ];
  static override args = {
    dir: Args.string({ ignoreStdin: true, description: "The folder; default: dir in svc.toml, else this one." }),
  };
  static override flags = {
    browser: Flags.string({
      summary: "The browser's program; default: CHROME_PATH, else one that is installed.",
      helpValue: "PATH",
    }),
    wait: Flags.integer({
      summary: "Seconds in which the game must have drawn something and loaded everything.",
      min: 1,
      max: 600,
      default: 30,
      helpValue: "SECONDS",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Check);
    const [{ checkProject }, lines, { sourceOf }, { findProjectFile }] = await Promise.all([
      import("../check/check-project.ts"),
      import("../check/check-lines.ts"),
      import("../dev/snapshot.ts"),
      import("../project-file.ts"),
    ]);
    const here = process.cwd();
    const file = findProjectFile(here) ?? { directory: here, content: {} };
    const source = sourceOf(file, args.dir);
    const checked = await checkProject({
      ...{ source, projectDirectory: file.directory, slug: file.content.project },
      ...{ browser: flags.browser, waitSeconds: flags.wait, signal: new AbortController().signal },
    });
    const { check, browser } = checked;
    const { bold, dim, green, red } = this.style;
    this.say(`Started ${printable(source.folder)} in ${printable(browser)}, as svc would serve it.\n`);
    this.sayColumns(lines.visitHeadings, lines.visitRows(check));
    this.say("");
    for (const warning of check.warnings) this.note(printable(warning));
    for (const problem of check.problems) this.say(lines.problemLine(problem));
    this.say(check.starts ? bold(green("It starts.")) : bold(red("It does not start.")));
    this.say("");
    this.sayColumns(lines.portalHeadings, lines.portalRows(check));
    this.say(dim(`Rules of ${check.portals[0]?.readOn}; --json has their sources.`));
    if (!check.starts) process.exitCode = exitCodes.failed;
    return lines.checkDocument(checked);
  }
}
