import { Help } from "@oclif/core/help";
import { wrongWords } from "./wrong-words.ts";

/** oclif's help, and below the list of commands what all of them share: environment variables and exit codes. */
export class SvcHelp extends Help {
  /** @throws UserError (exit code 2) for words that name no command */
  override async showHelp(argv: string[]): Promise<void> {
    const wrong = wrongWords(argv, this.config);
    if (wrong !== undefined && !argv[0]?.startsWith("-")) throw wrong;
    await super.showHelp(argv);
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp();
    const sections: [header: string, rows: [string, string | undefined][]][] = [
      [
        "ENVIRONMENT",
        [
          ["SVC_TOKEN", "the token, instead of the saved one"],
          ["SVC_API", "the API's URL, instead of that of the last login"],
          ["SVC_TIMEOUT", "seconds to wait for a response (60)"],
          ["HTTPS_PROXY, NO_PROXY", "the proxy, and the hosts to reach without it"],
          ["NODE_EXTRA_CA_CERTS", "a file of additional certificate authorities to trust"],
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
    this.log(`${this.section("EXAMPLES", examples)}\n`);
    for (const [header, rows] of sections) this.log(`${this.section(header, rows)}\n`);
  }
}

const examples = `Log in, write svc.toml, publish:

  $ svc login
  $ svc init my-game --dir dist
  $ svc publish`;
