import * as Flags from "@oclif/core/flags";
import { isHttpsOrLocal } from "../../../cli/src/api-url.ts";
import { example, SvcCommand } from "../../../cli/src/command.ts";
import { UserError, usageError } from "../../../cli/src/errors.ts";
import { hasErrorCode } from "../../../cli/src/system-error.ts";
import { printable } from "../../../cli/src/text.ts";
import { savesPagePath } from "../contract/saves-page.ts";

export class SavesPage extends SvcCommand {
  static override summary = "Write a page by which players bring their saved games along.";
  static override description =
    "For the place that a game moves from, such as itch.io or GitHub Pages. There the page saves what the game keeps in the player's browser to a file, and leads to " +
    "the page of the game's new address that loads the file. It sends nothing, and needs no account.";
  static override examples = [
    example("From another host to my-game.games.example", "--to https://my-game.games.example"),
    example(
      "Into the zip for itch.io, whose games share one origin",
      "--to https://my-game.games.example --only my-game --out dist/saves.html",
    ),
  ];
  static override flags = {
    to: Flags.string({ char: "t", summary: "The game's new address (required).", helpValue: "URL" }),
    only: Flags.string({
      multiple: true,
      summary:
        "Only databases, keys and files with this in their name: for a site that has several games at one origin. Can be repeated.",
      helpValue: "NAME",
    }),
    out: Flags.string({ char: "o", summary: "The file to write.", helpValue: "FILE", default: "saves.html" }),
    force: Flags.boolean({ summary: "Replace the file if it exists." }),
  };

  async run() {
    const { flags } = await this.parse(SavesPage);
    const savesPage = new URL(savesPagePath, parseGameOrigin(flags.to));
    const only = flags.only ?? [];
    if (only.includes("")) throw usageError("--only must not be empty: without it the file has everything.");
    const { exportPage } = await import("./export-page.ts");
    await writePage(flags.out, await exportPage(savesPage, only), { replaces: flags.force });
    this.say(`Wrote ${printable(flags.out)}, which leads players to ${savesPage.href}`);
    this.say(
      "Next: put it beside index.html where players come from, and link it in the game there: the page finds what the game " +
        "has saved only at the same origin, and in a frame only if the game leads to it.",
    );
    return { path: flags.out, saves_page: savesPage.href, only };
  }
}

/**
 * Parses the URL of a game's first page.
 *
 * @throws UserError (exit code 2) for none and any other URL: over plain http somebody on the network could give players another page
 */
function parseGameOrigin(text: string | undefined): URL {
  if (text === undefined) throw usageError("The game's new address is missing: --to names it.", { next: nextWith() });
  if (!URL.canParse(text)) throw invalid("is not a URL like https://my-game.games.example");
  const url = new URL(text);
  if (!isHttpsOrLocal(url)) throw invalid("must be https, or http to this machine (localhost, 127.0.0.1, [::1])");
  if (url.username !== "" || url.password !== "") throw invalid("must not contain a user name or password");
  if (url.href !== `${url.origin}/`) throw invalid("must be the game's address alone", url.origin);
  return url;
}

function invalid(why: string, origin?: string): UserError {
  return usageError(`The URL in --to ${why}.`, { code: "invalid_game_address", next: nextWith(origin) });
}

function nextWith(origin = "https://my-game.games.example"): string {
  return `svc saves page --to ${origin}`;
}

/** @throws UserError if the file exists and is not to be replaced */
async function writePage(file: string, text: string, { replaces }: { readonly replaces: boolean }): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  try {
    await writeFile(file, text, { flag: replaces ? "w" : "wx" });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    throw new UserError(`${printable(file)} exists already.`, {
      code: "file_exists",
      next: "Add --force to replace it, or name another file with --out.",
    });
  }
}
