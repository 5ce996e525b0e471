import { setTimeout as delay } from "node:timers/promises";
import { ApiCommand } from "../command.ts";
import type { Completion, RemoteNames } from "../completions.ts";
import { printable } from "../text.ts";

/** A person who has pressed Tab does not wait longer for names that the API knows. */
const longestMilliseconds = 2_000;

/** Called by the completion scripts in cli/completion. */
export class Complete extends ApiCommand {
  static override hidden = true;
  static override summary = "Print what can stand for a word of a command line.";
  static override description =
    "svc complete -- =BEGINNING WORD… prints a line for each: the word, a tab, its summary.";
  static override strict = false;

  async run() {
    const { argv } = await this.parse(Complete);
    const [current = "=", ...before] = argv.map(String);
    const { complete } = await import("../completions.ts");
    const line = { before, current: current.slice(1) };
    const completions = await complete(this.config.commands, line, this.#remoteNames());
    // Not `say`, which removes tabs.
    const text = completions.map(({ word, summary }) => `${printable(word)}\t${printable(summary)}\n`).join("");
    if (!this.jsonEnabled()) process.stdout.write(text);
    return { completions };
  }

  #remoteNames(): RemoteNames {
    return {
      projects: () =>
        this.#ask(async () => {
          const { client } = await this.connect(undefined);
          const { projects } = await client.call("GET /projects");
          return projects.map(({ slug, name }) => ({ word: slug, summary: name }));
        }),
      releases: () =>
        this.#ask(async () => {
          const { findProject } = await import("../project.ts");
          const { client } = await this.connect(undefined);
          const { releases } = await client.call("GET /projects/:slug/releases", {
            params: { slug: findProject(undefined).slug },
          });
          return releases.map(({ id, message }) => ({ word: id, summary: message ?? "" }));
        }),
    };
  }

  /** Nothing is offered if there is no login, project or network: the shell has no place for an error. */
  #ask(request: () => Promise<readonly Completion[]>): Promise<readonly Completion[]> {
    const none = () => [];
    return Promise.race([request().catch(none), delay(longestMilliseconds).then(none)]);
  }
}
