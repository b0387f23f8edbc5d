/**
 * The completion scripts. Each passes the typed words to `svc complete`, which prints one completion per line, with its
 * meaning after a tab; where it prints nothing, the shell completes file names.
 */
export const COMPLETION_SCRIPTS = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local line word
  local -a found
  for line in "\${(@f)$(svc complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*}
    [[ -n $word ]] && found+=("\${word//:/\\\\:}\${\${line#$word}/$'\\t'/:}")
  done
  if (( $#found )); then _describe svc found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _svc svc
`,
  fish: `function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (svc complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c svc -f -a '(__svc_complete)'
`,
} as const;
