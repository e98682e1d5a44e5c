import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What may follow the words of a command line so far. `path` is the command so far: `''`, `keys`, `keys create` … */
interface Place {
  path: string;
  words: { word: string; description: string }[];
}

/** `phonebooth completion`: prints a completion script for a shell, generated from the command definitions. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      `
  bash   echo 'source <(phonebooth completion bash)' >> ~/.bashrc
  zsh    phonebooth completion zsh > "\${fpath[1]}/_phonebooth"
  fish   phonebooth completion fish > ~/.config/fish/completions/phonebooth.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](placesOf(program)));
    });
}

export function placesOf(command: Command, path = ''): Place[] {
  const options = command.options.map(({ long, description }) => ({ word: long!, description }));
  const commands = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }));
  const help = { word: '--help', description: 'show the options of the command' };
  const below = command.commands.flatMap((sub) => placesOf(sub, `${path} ${sub.name()}`.trim()));
  return [{ path, words: [...commands, ...options, help] }, ...below];
}

const SCRIPTS: Record<Shell, (places: Place[]) => string> = { bash: forBash, zsh: forZsh, fish: forFish };

/** The part that the bash and zsh scripts share: it finds the place that the words before the cursor lead to. */
const walk = (places: Place[], word: string, count: string) => `  local place="" next i
  for ((i = ${word === 'words' ? 2 : 1}; i < ${count}; i++)); do
    next="$place \${${word}[i]}"
    case "\${next# }" in
      ${places
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join(' | ')}) place="\${next# }" ;;
    esac
  done`;

function forBash(places: Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    '${path}') words="${words.map(({ word }) => word).join(' ')}" ;;`,
  );
  return `# phonebooth, completed by bash
_phonebooth() {
${walk(places, 'COMP_WORDS', 'COMP_CWORD')}
  local words
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _phonebooth phonebooth
`;
}

function forZsh(places: Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = ({ word, description }: Place['words'][number]) =>
    quoted(`${word}:${description.replaceAll(':', '\\:')}`);
  const cases = places.map(({ path, words }) => `    '${path}') all=(${words.map(described).join(' ')}) ;;`);
  return `#compdef phonebooth
_phonebooth() {
${walk(places, 'words', 'CURRENT')}
  local -a all
  case "$place" in
${cases.join('\n')}
  esac
  _describe 'phonebooth' all || _files
}
if [ "$funcstack[1]" = "_phonebooth" ]; then _phonebooth "$@"; else compdef _phonebooth phonebooth; fi
`;
}

function forFish(places: Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const names = (path: string) => path.split(' ').filter(Boolean);
  const lines = places.flatMap(({ path, words }) => {
    const own = places.filter(
      (place) => place.path.startsWith(path === '' ? '' : `${path} `) && place.path !== path,
    );
    const next = own.map((place) => names(place.path)[names(path).length]!);
    const seen = names(path).map((name) => `__fish_seen_subcommand_from ${name}`);
    const unseen = next.length > 0 ? [`not __fish_seen_subcommand_from ${[...new Set(next)].join(' ')}`] : [];
    const condition = [...seen, ...unseen].join('; and ');
    return words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c phonebooth${condition ? ` -n ${quoted(condition)}` : ''} ${what} -d ${quoted(description)}`;
    });
  });
  return `# phonebooth, completed by fish\n${lines.join('\n')}\n`;
}
