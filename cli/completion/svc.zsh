#compdef svc
_svc() {
  local line value
  local -a offered folders
  for line in "${(@f)$(svc complete -- "=${(Q)words[CURRENT]}" "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}"; do
    value=${line%%$'\t'*}
    if [[ $value == */ ]]; then folders+=("${value%/}")
    elif [[ -n $value ]]; then offered+=("${value//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#offered )) && _describe 'svc' offered
  (( $#folders )) && compadd -q -S / -- "${folders[@]}"
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
