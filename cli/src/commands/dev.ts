import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { tallyOf } from "../../../publisher/progress.ts";
import { example, SvcCommand } from "../command.ts";
import type { DevSource, Snapshot } from "../dev/snapshot.ts";
import { UserError } from "../errors.ts";
import { count, humanBytes, printable } from "../text.ts";

export class Dev extends SvcCommand {
  static override summary = "Serve a folder on this machine as players would get it.";
  static override description =
    "Responds as the game's own origin will: index.html of folders, 404.html, routes, isolation, encodings and caching, by the " +
    "settings of svc.toml. Warns of what svc publish would warn of, and loads open pages again when a file changes. Needs no " +
    "account, no token and no network; only this machine can open it. Ctrl-C stops it.";
  static override examples = [
    example("Serve the folder of svc.toml"),
    example("Another folder, in the browser at once", "dist --open"),
    example("In a script: any free port, and every byte as it is in the file", "--port 0 --no-reload --json"),
  ];
  static override args = {
    dir: Args.string({ ignoreStdin: true, description: "The folder; default: dir in svc.toml, else this one." }),
  };
  static override flags = {
    port: Flags.integer({
      summary: "The port; default: 8000, or the next one that is free. 0: any.",
      min: 0,
      max: 65_535,
      helpValue: "PORT",
    }),
    reload: Flags.boolean({
      summary:
        "Load open pages again when a file changes, by a script at the end of each page. --no-reload leaves it out.",
      allowNo: true,
      default: true,
    }),
    open: Flags.boolean({ summary: "Open the game in a browser." }),
  };

  protected override readonly printsEvents = true;

  async run() {
    const { args, flags } = await this.parse(Dev);
    const [{ startDev }, { sourceOf }, { findProjectFile }] = await Promise.all([
      import("../dev/start.ts"),
      import("../dev/snapshot.ts"),
      import("../project-file.ts"),
    ]);
    const here = process.cwd();
    const find = () => findProjectFile(here) ?? { directory: here, content: {} };
    const { directory, content } = find();
    const source = (): DevSource => sourceOf(find(), args.dir);
    const shownWarnings = new Set<string>();
    const warn = ({ warnings }: Snapshot) => {
      for (const warning of warnings.filter((text) => !shownWarnings.has(text))) this.note(printable(warning));
      for (const warning of warnings) shownWarnings.add(warning);
    };
    const dev = await startDev({
      source,
      projectDirectory: directory,
      slug: content.project,
      port: flags.port,
      isReloading: flags.reload,
      onChanged: (snapshot, changed, pages) => {
        warn(snapshot);
        this.#tell({ event: "changed", changed: changed.slice(0, 1_000), pages }, changedLine(changed, pages));
      },
      onRefused: (problem) => this.note(refusal(problem)),
    });
    warn(dev.snapshot);
    const { url, snapshot } = dev;
    const facts = {
      url: url.href,
      port: Number(url.port),
      folder: source().folder,
      ...tallyOf([...snapshot.files.values()]),
      warnings: snapshot.warnings,
    };
    this.#tell({ event: "listening", ...facts }, this.#welcome(facts, flags.reload));
    if (flags.open) (await import("../browser.ts")).openInBrowser(url);
    await dev.stopped;
    return { event: "stopped", url: url.href };
  }

  #tell(event: object, text: string): void {
    if (this.jsonEnabled()) this.logJson(event);
    else this.say(text);
  }

  #welcome({ url, folder, files, bytes, port }: Facts, isReloading: boolean): string {
    const { bold, dim } = this.style;
    const reloads = isReloading ? "Open pages are loaded again when a file changes. " : "";
    return (
      `Serving ${printable(folder)} (${count(files, "file")}, ${humanBytes(bytes)}) at\n\n  ${bold(url)}\n\n` +
      dim(`${reloads}Ctrl-C stops it. If a browser does not find the host: http://127.0.0.1:${port}/`)
    );
  }
}

interface Facts {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

function refusal(problem: Error): string {
  const places = problem instanceof UserError ? problem.places.slice(0, 5) : [];
  return `${[problem.message, ...places].map(printable).join("\n  - ")}\n  svc dev waits for the next change.`;
}

function changedLine([first, ...others]: readonly string[], pages: number): string {
  const what = first === undefined ? "The folder" : printable(first);
  const more = others.length === 0 ? "" : ` and ${count(others.length, "more file")}`;
  return `Changed: ${what}${more}${pages === 0 ? "" : `; ${count(pages, "page")} loaded again`}`;
}
