import { describe, expect, test } from "@jest/globals";
import { commandIds } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../../support/cli/terminal.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

(hasTerminal ? describe : describe.skip)("help on a terminal", () => {
  const screens = ["", "projects", "help", ...commandIds.map((id) => id.replace(":", " "))];

  test.each(screens)("svc %s --help: the same text as in a pipe, with styles", async (words) => {
    const args = `${words} --help`.trim();
    const [piped, { code, shown }] = await Promise.all([
      person.run(args.split(" ")),
      onPseudoTerminal(person, args, { columns: 80 }),
    ]);
    expect({ code, text: plainText(shown) }).toEqual({ code: 0, text: piped.stdout });
    expect(shown).toContain("\u001b[1mUSAGE\u001b[22m");
    // Examples are commands to copy.
    expect(piped.stdout.split("\n").filter((line) => line.length > 80 && !/^ +\$ /.test(line))).toEqual([]);
    const [, usage] = /^USAGE\n(.*?)\n\n/ms.exec(piped.stdout) ?? [];
    // A flag without its value.
    expect(usage).not.toMatch(/--?[a-zA-Z][\w-]*$/m);
  });
});
