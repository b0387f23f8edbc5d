// cspell:ignore compgen compopt compset
/**
 * The completion scripts. Each passes the words typed so far to `svc complete`, which prints one word per line, with a
 * description after a tab. An empty word with the description `files` makes the shell complete file names.
 */
export const COMPLETION_SCRIPTS = {
  bash: `_svc() {
  local IFS=$'\\n' found
  found=$(svc complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $found == $'\\tfiles' ]]; then
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=($(cut -f 1 <<<"$found"))
  fi
}
complete -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local line word
  local -a found
  for line in "\${(@f)$(svc complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\\tfiles' ]]; then
      compset -P '--*='
      _files
      return
    fi
    word=\${line%%$'\\t'*}
    [[ -n $word ]] && found+=("\${word//:/\\\\:}\${\${line#$word}/$'\\t'/:}")
  done
  (( $#found )) && _describe svc found
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _svc svc
`,
  fish: `function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (svc complete -- $words[2..-1] 2>/dev/null)
  if test "$found" = \\tfiles
    __fish_complete_path (commandline -ct)
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c svc -f -a '(__svc_complete)'
`,
} as const;
