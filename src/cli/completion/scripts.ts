/** The completion scripts. Each passes the words typed so far to `svc complete`, and leaves the rest to file names. */
export const COMPLETION_SCRIPTS = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a found
  found=("\${(@f)$(svc complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _svc svc
`,
  fish: `function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  svc complete -- $words[2..-1] 2>/dev/null
end
complete -c svc -a '(__svc_complete)'
`,
} as const;
