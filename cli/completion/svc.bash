# bash completion for svc
_svc() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    # A folder: bash adds the slash itself, and quotes the name.
    if [[ $word == */ ]]; then compopt -o filenames 2>/dev/null; fi
    COMPREPLY+=("${word%/}")
  done < <(svc complete -- "=${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -F _svc svc
