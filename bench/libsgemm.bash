# Bash completion of `libsgemm`, which knows the candidates itself.
_libsgemm() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${COMPREPLY[0]} == :program ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -o default -F _libsgemm libsgemm
