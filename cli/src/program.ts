import type { Interfaces } from "@oclif/core";
import type { Command } from "@oclif/core/command";
import { Config } from "@oclif/core/config";
import * as Flags from "@oclif/core/flags";
import { commands } from "./commands.ts";
import { packageVersion } from "./package-version.ts";

const description = `Publish browser games from a laptop or from CI.
A developer's personal access token authorises it: svc login saves one, SVC_TOKEN gives one to CI.`;

/**
 * The program as oclif sees it: one plugin whose commands are in the bundle already, so that oclif reads no manifest,
 * searches no directory and loads no plugin of the user's.
 */
export async function loadProgram(): Promise<Config> {
  // oclif would read colours from theme.json beside the credential file.
  process.env["SVC_DISABLE_THEME"] = "1";
  const root = import.meta.dirname ?? __dirname;
  const pjson: Interfaces.PJSON = {
    name: "svc",
    version: packageVersion,
    oclif: {
      bin: "svc",
      dirname: "svc",
      description,
      topicSeparator: " ",
      additionalHelpFlags: ["-h"],
    },
  };
  const plugin = {
    _base: "",
    alias: "svc",
    name: "svc",
    version: packageVersion,
    root,
    pjson,
    commandIDs: Object.keys(commands),
    commands: Object.entries(commands).map(([id, command]) => loadable(id, command)),
    commandsDir: undefined,
    hooks: {},
    topics: [{ name: "projects", description: "Create projects and list yours." }],
    isRoot: true,
    hasManifest: true,
    moduleType: "commonjs",
    options: { root },
    type: "core",
    valid: true,
    async load() {},
  };
  const config = new Config({ root, pjson, plugins: new Map([["svc", plugin as unknown as Interfaces.Plugin]]) });
  await config.load();
  return config;
}

/** oclif adds this flag where a command is run; help and completion want to know of it before. */
const json = Flags.boolean({ summary: "Print the result as JSON on standard output.", helpGroup: "GLOBAL" });

/** What oclif's search and help want to know of a command before it is run. */
function loadable(id: string, command: Command.Class): Command.Loadable {
  command.id = id;
  return {
    id,
    aliases: command.aliases,
    hiddenAliases: command.hiddenAliases,
    args: named(command.args) as Command.Loadable["args"],
    flags: named({ ...command.flags, ...command.baseFlags, json }) as Command.Loadable["flags"],
    hidden: command.hidden,
    strict: command.strict,
    enableJsonFlag: command.enableJsonFlag,
    ...(command.summary !== undefined && { summary: command.summary }),
    ...(command.description !== undefined && { description: command.description }),
    examples: command.examples,
    load: async () => command,
  } as Command.Loadable;
}

function named(definitions: Record<string, object>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(definitions ?? {}).map(([name, definition]) => [name, { ...definition, name }]),
  );
}
