// Completion scripts for shells. They call `renderline __complete`, so new commands need no new script. Pure.

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Output that tells the shell to complete file names itself. */
export const filesMarker = ':files';

const bash = `# Completion of renderline for bash. In ~/.bashrc: source <(renderline completion bash)
_renderline() {
  local i line value quote= rest=$COMP_LINE last=-1
  local -a words
  COMPREPLY=()
  # Readline splits words at ":" and "=", which run ids contain. Parts without a blank between them are joined again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    value=\${COMP_WORDS[i]}
    line=\${rest#"\${rest%%[![:space:]]*}"}
    if [[ $i == 0 || $line != "$rest" ]]; then
      last=$((last + 1))
    fi
    words[last]+=$value
    rest=\${line#"$value"}
  done
  local prefix=\${words[last]%"$2"}
  if [[ \${words[last]} == [\\'\\"]* ]]; then
    quote=\${words[last]:0:1}
    words[last]=\${words[last]:1}
  else
    words[last]=\${words[last]//\\\\/}
  fi
  while IFS= read -r line; do
    if [[ $line == '${filesMarker}' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2")
    elif [[ -n $line ]]; then
      line=\${line%%$'\\t'*}
      if [[ $line == *[=/] ]]; then compopt -o nospace 2>/dev/null; fi
      case $quote in
        \\') value=\${line//\\'/\\'\\\\\\'\\'} ;;
        \\")
          value=\${line//\\\\/\\\\\\\\}
          value=\${value//\\"/\\\\\\"}
          value=\${value//\\$/\\\\\\$}
          value=\${value//\\\`/\\\\\\\`}
          # An exclamation mark cannot be escaped within double quotes, so the quotes end before it.
          value=\${value//!/\\"\\'!\\'\\"}
          ;;
        *) value=$(printf %q "$line") ;;
      esac
      # Readline closes the quotes itself, unless the value ends with a quote.
      [[ -n $quote && $value == *"$quote" ]] && value+=$quote
      COMPREPLY+=("\${value#"$prefix"}")
    fi
  done < <("$1" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _renderline renderline
`;

const zsh = `#compdef renderline
# Completion of renderline for zsh. In ~/.zshrc, after compinit: source <(renderline completion zsh)
_renderline() {
  local line value
  local -a descriptions values files
  while IFS= read -r line; do
    if [[ $line == '${filesMarker}' ]]; then
      files=(yes)
    elif [[ -n $line ]]; then
      value=\${line%%$'\\t'*}
      values+=("$value")
      descriptions+=("$value  \${line#*$'\\t'}")
    fi
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -l -d descriptions -a values
  (( \${#files} )) && _files
}
compdef _renderline renderline
`;

const fish = `# Completion of renderline for fish: renderline completion fish > ~/.config/fish/completions/renderline.fish
function __renderline_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] $current 2>/dev/null)
        if test "$line" = '${filesMarker}'
            __fish_complete_path $current
        else
            echo $line
        end
    end
end
complete -c renderline -f -a '(__renderline_complete)'
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
