import type { Command } from "@oclif/core/command";

export type Shell = "bash" | "zsh" | "fish";

/** A command: its words, and what can follow them. */
interface Entry {
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly choices: readonly string[];
  readonly takesFolder: boolean;
  readonly takesRelease: boolean;
}

interface Flag {
  readonly name: string;
  readonly summary: string;
  readonly takesValue: boolean;
}

/** Makes the completion script of a shell from oclif's definitions of the commands. */
export function completionScript(shell: Shell, commands: readonly Command.Loadable[]): string {
  const entries = commands.filter(({ hidden }) => !hidden).map(entryOf);
  return { bash, zsh, fish }[shell](entries);
}

function entryOf(command: Command.Loadable): Entry {
  // The command's own flags first, then those that every command has.
  const rank = ({ helpGroup, name }: Command.Flag.Cached) => (helpGroup === "GLOBAL" ? name : "");
  const flags = Object.values(command.flags)
    .filter(({ hidden }) => !hidden)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .flatMap((flag): Flag[] => {
      const summary = plain(flag.summary ?? flag.description ?? "");
      return [{ name: flag.name, summary, takesValue: flag.type === "option" }];
    });
  const args = Object.values(command.args).filter(({ hidden }) => !hidden);
  return {
    words: command.id.replaceAll(":", " "),
    summary: plain(command.summary ?? ""),
    flags: [...flags, { name: "help", summary: "Show help", takesValue: false }],
    choices: args.flatMap(({ options }) => options ?? []),
    takesFolder: args.some(({ name }) => name === "dir"),
    takesRelease: args.some(({ name }) => name === "release"),
  };
}

/** Removes all characters that would need quoting in one of the three shells. */
function plain(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} .,;/_()-]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .replace(/\.$/, "")
    .trim();
}

/**
 * The words that can follow each beginning of a command: "" -> login, projects; "projects" -> list, create; "help" -> login,
 * projects.
 */
function nextWords(entries: readonly Entry[]): Map<string, { word: string; summary: string }[]> {
  const next = new Map<string, { word: string; summary: string }[]>();
  const topics = entries.map((entry) => ({ ...entry, words: `help ${entry.words}` }));
  for (const { words, summary } of [...entries, ...topics]) {
    const parts = words.split(" ");
    for (const [index, word] of parts.entries()) {
      const before = parts.slice(0, index).join(" ");
      const known = next.get(before) ?? [];
      if (!known.some((other) => other.word === word))
        known.push({ word, summary: index === parts.length - 1 ? summary : "" });
      next.set(before, known);
    }
  }
  return next;
}

/** A shell command that prints the slugs of the person's projects. */
const slugs = `svc projects list --json 2>/dev/null | sed -n 's/^ *"slug": "\\([a-z0-9-]*\\)".*/\\1/p'`;

/** A shell command that prints the ids of the project's releases; those of tokens are further to the right. */
const releases = `svc releases --json 2>/dev/null | sed -n 's/^      "id": "\\([^"]*\\)".*/\\1/p'`;

/** By what is offered for their values. */
const folderFlags = ["dir", "directory"];
const releaseFlags = ["expect-current", "end"];
const offeredFlags = ["project", ...folderFlags, ...releaseFlags];

/** The flags with a value that completion cannot offer. */
function otherValueFlags(entries: readonly Entry[]): string[] {
  const names = entries.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !offeredFlags.includes(name)).map((name) => `--${name}`);
}

function asFlags(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join("|");
}

/** What bash and zsh set for the argument of a command. */
function takenBy({ takesFolder, takesRelease }: Pick<Entry, "takesFolder" | "takesRelease">): string {
  return `${takesFolder ? " folder=1" : ""}${takesRelease ? " release=1" : ""}`;
}

function bash(entries: readonly Entry[]): string {
  const branches = [...nextWords(entries)].map(
    ([before, next]) => `    "${before}") words="${next.map(({ word }) => word).join(" ")}" ;;`,
  );
  const commands = entries.map(({ words, flags, choices, ...takes }) => {
    const names = flags.map(({ name }) => `--${name}`).join(" ");
    return `    "${words}"*) flags="${names}" words="${choices.join(" ")}"${takenBy(takes)} ;;`;
  });
  return `# bash completion for svc
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" flags="" words="" folder="" release="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${commands.join("\n")}
    *) flags="--help --version" ;;
  esac
  case "$typed" in
${branches.join("\n")}
  esac
  if [[ $current == -* ]]; then words=$flags folder="" release=""; fi
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --project|-p) words=$(${slugs}) folder="" release="" ;;
    ${asFlags(folderFlags)}|-C) words="" folder=1 release="" ;;
    ${asFlags(releaseFlags)}) folder="" release=1 ;;
    ${otherValueFlags(entries).join("|")}) return ;;
  esac
  if [[ -n $release ]]; then words=$(${releases}); fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $folder ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current")
  fi
}
complete -F _svc svc
`;
}

function zsh(entries: readonly Entry[]): string {
  const branches = [...nextWords(entries)].map(([before, next]) => {
    const items = next.map(({ word, summary }) => `'${word}:${summary}'`).join(" ");
    return `    '${before}') words_=(${items}) ;;`;
  });
  const commands = entries.map(({ words, flags, choices, ...takes }) => {
    const items = flags.map(({ name, summary }) => `'--${name}:${summary}'`).join(" ");
    const values = choices.map((choice) => `'${choice}'`).join(" ");
    return `    '${words}'*) flags_=(${items}) words_=(${values})${takenBy(takes)} ;;`;
  });
  return `#compdef svc
_svc() {
  local typed="" folder="" release="" word
  local -a flags_ words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${commands.join("\n")}
    *) flags_=('--help:Show help' '--version:Show the version') ;;
  esac
  case "$typed" in
${branches.join("\n")}
  esac
  if [[ $words[CURRENT-1] == (--project|-p) ]]; then
    compadd -- \${(f)"$(${slugs})"}
  elif [[ $words[CURRENT-1] == (${asFlags(folderFlags)}|-C) ]]; then
    _files -/
  elif [[ $words[CURRENT-1] == (${asFlags(releaseFlags)}) ]]; then
    compadd -- \${(f)"$(${releases})"}
  elif [[ $words[CURRENT-1] == (${otherValueFlags(entries).join("|")}) ]]; then
    return 1
  elif [[ $words[CURRENT] == -* ]]; then
    _describe 'flag' flags_
  else
    (( $#words_ )) && _describe 'command' words_
    [[ -n $release ]] && compadd -- \${(f)"$(${releases})"}
    [[ -n $folder ]] && _files -/
  fi
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function valueInFish(name: string): string {
  if (name === "project") return " -x -a '(__svc_projects)'";
  if (releaseFlags.includes(name)) return " -x -a '(__svc_releases)'";
  return folderFlags.includes(name) ? " -x -a '(__fish_complete_directories)'" : " -x";
}

function fish(entries: readonly Entry[]): string {
  const lines = [...nextWords(entries)].flatMap(([before, next]) =>
    next.map(({ word, summary }) => `complete -c svc -n '__svc_typed "${before}"' -a '${word}' -d '${summary}'`),
  );
  for (const { words, flags, choices, takesFolder, takesRelease } of entries) {
    const condition = `-n '__svc_begins "${words}"'`;
    for (const { name, summary, takesValue } of flags)
      lines.push(`complete -c svc ${condition} -l ${name}${takesValue ? valueInFish(name) : ""} -d '${summary}'`);
    for (const choice of choices) lines.push(`complete -c svc -n '__svc_typed "${words}"' -a '${choice}'`);
    if (takesRelease) lines.push(`complete -c svc -n '__svc_typed "${words}"' -a '(__svc_releases)'`);
    if (takesFolder) lines.push(`complete -c svc ${condition} -a '(__fish_complete_directories)'`);
  }
  return `# fish completion for svc
function __svc_words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end
function __svc_typed
    set -l typed (__svc_words)
    test "$typed" = "$argv"
end
function __svc_begins
    set -l typed (__svc_words)
    string match -q -- "$argv*" "$typed"
end
function __svc_projects
    ${slugs}
end
function __svc_releases
    ${releases}
end
complete -c svc -f
${lines.join("\n")}
`;
}
