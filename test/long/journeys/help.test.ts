import { describe, expect, test } from "@jest/globals";
import { commandIds } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../../support/cli/terminal.ts";
import { useCliUser } from "../../support/service/suite.ts";

const person = useCliUser();

describe("help", () => {
  test.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
    "svc %j lists every command or its topic, the variables and the exit codes",
    async (args) => {
      const { code, stdout, stderr } = await person.run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const id of commandIds) expect(stdout).toMatch(new RegExp(`^  ${id.split(":")[0]}  `, "m"));
      expect(stdout.split("\n").length).toBeLessThanOrEqual(38);
      for (const word of [
        "EXAMPLES",
        "svc projects create && svc publish",
        "SVC_TOKEN",
        "SVC_API",
        "EXIT CODES",
        "130",
      ])
        expect(stdout).toContain(word);
    },
  );

  test("svc projects lists its commands", async () => {
    const { code, stdout } = await person.run(["projects"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Create, list and change your projects\.\n/);
    for (const id of commandIds.filter((id) => id.startsWith("projects:")))
      expect(stdout).toContain(`  ${id.replace(":", " ")}`);
  });

  test.each(commandIds)(
    "svc %s --help has a summary and examples, and says the same on a terminal, with styles",
    async (id) => {
      const args = `${id.replace(":", " ")} --help`;
      const [{ code, stdout, stderr }, terminal] = await Promise.all([
        person.run(args.split(" ")),
        hasTerminal ? onPseudoTerminal(person, args, { columns: 80 }) : undefined,
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^[A-Z].*\.\n\nUSAGE\n {2}\$ svc /);
      expect(stdout).toContain("EXAMPLES\n");
      expect(stdout).toContain("--json");
      // The flags of every command, under each other.
      expect(stdout).toMatch(/\nGLOBAL FLAGS\n {2}-C, --directory=DIR +Run .*\n {6}--json +Print /);
      // Examples are commands to copy.
      expect(stdout.split("\n").filter((line) => line.length > 80 && !/^ +\$ /.test(line))).toEqual([]);
      const [, usage] = /^USAGE\n(.*?)\n\n/ms.exec(stdout) ?? [];
      // A flag without its value.
      expect(usage).not.toMatch(/--?[a-zA-Z][\w-]*$/m);
      if (terminal === undefined) return;
      expect({ code: terminal.code, text: plainText(terminal.shown) }).toEqual({ code: 0, text: stdout });
      expect(terminal.shown).toContain("\u001b[1mUSAGE\u001b[22m");
    },
  );

  test.each(["publish", "projects create"])("svc help %s says the same as --help", async (command) => {
    const words = command.split(" ");
    const [word, flag] = await Promise.all([person.run(["help", ...words]), person.run([...words, "--help"])]);
    expect(word).toMatchObject({ code: 0, stdout: flag.stdout });
  });
});

(hasTerminal ? describe : describe.skip)("help on a terminal", () => {
  test.each(["", "projects", "login", "publish"])("svc %s --help fits a screen of 40 columns", async (words) => {
    const { code, shown } = await onPseudoTerminal(person, `${words} --help`, { columns: 40 });
    const lines = plainText(shown).split("\n");
    expect(code).toBe(0);
    // Examples are commands to copy; the first line is the one that a list of commands shows.
    const examples = lines.indexOf("EXAMPLES");
    const wrapped = lines.slice(1, examples === -1 ? undefined : examples);
    // oclif does not count two of the columns by which it indents a flag's summary.
    expect(wrapped.filter((line) => line.trimEnd().length > 42)).toEqual([]);
  });
});
