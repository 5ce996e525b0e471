import type { Config } from "@oclif/core/config";
import { Help } from "@oclif/core/help";

/** oclif's help, and below the list of commands what holds for all of them. */
class SvcHelp extends Help {
  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp();
    const sections: [header: string, rows: [string, string | undefined][]][] = [
      [
        "EXAMPLES",
        [
          ["$ svc login", "save a token"],
          ["$ svc init my-game --dir dist", "say once what is published"],
          ["$ svc publish", "publish it"],
        ],
      ],
      [
        "ENVIRONMENT",
        [
          ["SVC_TOKEN", "the token to use, before any saved one"],
          ["SVC_API", "the address of the API, before the one logged in to"],
          ["SVC_TIMEOUT", "seconds to wait for a response (60)"],
          ["HTTPS_PROXY, NO_PROXY", "the proxy to use, and for which hosts not to"],
          ["NODE_EXTRA_CA_CERTS", "certificates of authorities to trust besides the usual ones"],
          ["NO_COLOR", "no colours"],
        ],
      ],
      [
        "EXIT CODES",
        [
          ["0", "done"],
          ["1", "failed"],
          ["2", "wrong usage"],
          ["4", "not authenticated, or not allowed"],
          ["6", "conflict: the name is taken, or another release went live first"],
          ["130, 143", "ended by Ctrl-C, by SIGTERM"],
        ],
      ],
    ];
    for (const [header, rows] of sections) this.log(`${this.section(header, rows)}\n`);
  }
}

/** Shows the help for a command, a topic or the whole program. */
export async function showHelp(argv: readonly string[], config: Config): Promise<void> {
  const subject = argv[0] === "help" ? argv.slice(1) : argv;
  await new SvcHelp(config, { flagSortOrder: "none", hideCommandSummaryInDescription: true }).showHelp([...subject]);
}
