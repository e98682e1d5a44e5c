import { Argument, type Command, Option } from 'commander';
import type { Phonebooth } from '../client/phonebooth.ts';
import { openService } from './remote.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What the service is asked for when a shell completes a value. A value is at most one word. */
const KINDS = ['devices', 'brands', 'sessions', 'apps', 'webhooks'] as const;
type Kind = (typeof KINDS)[number];

const KIND_OF_OPTION: Record<string, Kind> = {
  '--device': 'devices',
  '--brand': 'brands',
  '--session': 'sessions',
  '--app': 'apps',
};

/** A shell waits for the values, so a service that does not answer must not block it. */
const VALUES_TIMEOUT_MS = 2_000;

/** What may follow a word: fixed words, or what the service has of a kind. */
type Values = readonly string[] | Kind;

interface Word {
  word: string;
  description: string;
  /** The values of an option; undefined: it has none, or any. */
  values?: Values | undefined;
  hasValue?: boolean;
}

/** What may follow the words of a command line so far. `path` is the command so far: `''`, `keys`, `keys create` … */
interface Place {
  path: string;
  words: Word[];
  /** What the first argument of the command may be. */
  argument?: Kind | undefined;
}

/** `phonebooth completion`: prints a completion script for a shell, generated from the command definitions. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('[shell]').choices(SHELLS))
    .addOption(new Option('--values <kind>', 'print the values that the scripts offer').choices(KINDS))
    .addHelpText(
      'after',
      `
  bash   echo 'source <(phonebooth completion bash)' >> ~/.bashrc
  zsh    phonebooth completion zsh > "\${fpath[1]}/_phonebooth"
  fish   phonebooth completion fish > ~/.config/fish/completions/phonebooth.fish`,
    )
    .action(async (shell: Shell | undefined, { values: kind }: { values?: Kind }, command: Command) => {
      if (kind !== undefined) process.stdout.write(await valuesOf(kind));
      else if (shell !== undefined) process.stdout.write(SCRIPTS[shell](placesOf(program)));
      else command.error(`error: name a shell: ${SHELLS.join(', ')}`);
    });
}

/** Returns one line per value, with its description after a tab; nothing if the service does not answer. */
async function valuesOf(kind: Kind): Promise<string> {
  try {
    const rows = await READERS[kind](await openService({}), AbortSignal.timeout(VALUES_TIMEOUT_MS));
    return rows.map((row) => `${row.join('\t')}\n`).join('');
  } catch {
    return '';
  }
}

type Rows = [value: string, description: string][];
const FIRST_PAGE = { page_size: 100 };

const READERS: Record<Kind, (service: Phonebooth, signal: AbortSignal) => Promise<Rows>> = {
  devices: async ({ api }, signal) => {
    const { items } = await api.listDevices(FIRST_PAGE, signal);
    return items.map(({ id, name, status }) => [id, `${name}, ${status}`]);
  },
  brands: async ({ api }, signal) => {
    const { items } = await api.listDevices(FIRST_PAGE, signal);
    return [...new Set(items.map(({ brand }) => brand))].sort().map((brand) => [brand, 'brand']);
  },
  sessions: async ({ api }, signal) => {
    const { items } = await api.listSessions(FIRST_PAGE, signal);
    const live = items.filter(({ status }) => status !== 'disconnected');
    return live.map(({ session_id, device_id, status }) => [session_id, `${device_id}, ${status}`]);
  },
  apps: async ({ api }, signal) => {
    const { items } = await api.listApps(FIRST_PAGE, signal);
    return items.map(({ id, name, version }) => [id, `${name} ${version}`]);
  },
  webhooks: async ({ api }, signal) => {
    const { items } = await api.webhooks.list(FIRST_PAGE, signal);
    return items.map(({ id, url }) => [id, url]);
  },
};

export function placesOf(command: Command, path = ''): Place[] {
  const options = command.options.map(({ long, description, argChoices, required, optional }) => ({
    word: long!,
    description,
    values: argChoices ?? KIND_OF_OPTION[long!],
    hasValue: required || optional,
  }));
  const commands = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }));
  const help = { word: '--help', description: 'show the options of the command' };
  const below = command.commands.flatMap((sub) => placesOf(sub, `${path} ${sub.name()}`.trim()));
  return [{ path, words: [...commands, ...options, help], argument: argumentOf(command, path) }, ...below];
}

function argumentOf(command: Command, path: string): Kind | undefined {
  const name = command.registeredArguments[0]?.name();
  if (name === 'session') return 'sessions';
  return name === 'id' && path.startsWith('webhooks ') ? 'webhooks' : undefined;
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

/** One `case` branch for each option whose values are known. `assign` returns the commands of the branch. */
const valueCases = (places: Place[], assign: (values: Values) => string) =>
  places.flatMap(({ path, words }) =>
    words.flatMap(({ word, values }) => (values ? [`    '${path} ${word}') ${assign(values)} ;;`] : [])),
  );

const isKind = (values: Values): values is Kind => typeof values === 'string';

/** `compgen -W` expands its words, also the commands in them, so it must not get values of the service. */
function forBash(places: Place[]): string {
  const cases = places.map(
    ({ path, words, argument = '' }) =>
      `    '${path}') words="${words.map(({ word }) => word).join(' ')}" kind="${argument}" ;;`,
  );
  const ofOptions = valueCases(places, (values) =>
    isKind(values) ? `words="" kind=${values}` : `words="${values.join(' ')}" kind=""`,
  );
  return `# phonebooth, completed by bash
_phonebooth() {
${walk(places, 'COMP_WORDS', 'COMP_CWORD')}
  local words kind value current="\${COMP_WORDS[COMP_CWORD]}"
  case "$place" in
${cases.join('\n')}
  esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${ofOptions.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ -n $kind && $current != -* ]] || return 0
  while IFS=$'\\t' read -r value _; do
    if [[ $value == "$current"* ]]; then COMPREPLY+=("$(printf %q "$value")"); fi
  done < <(phonebooth completion --values "$kind" 2>/dev/null)
}
complete -o default -F _phonebooth phonebooth
`;
}

function forZsh(places: Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = ({ word, description }: Word) => quoted(`${word}:${description.replaceAll(':', '\\:')}`);
  const cases = places.map(
    ({ path, words, argument = '' }) =>
      `    '${path}') all=(${words.map(described).join(' ')}) kind="${argument}" ;;`,
  );
  const ofOptions = valueCases(places, (values) =>
    isKind(values) ? `all=() kind=${values}` : `all=(${values.map(quoted).join(' ')}) kind=""`,
  );
  return `#compdef phonebooth
_phonebooth() {
${walk(places, 'words', 'CURRENT')}
  local -a all
  local kind
  case "$place" in
${cases.join('\n')}
  esac
  case "$place \${words[CURRENT-1]}" in
${ofOptions.join('\n')}
  esac
  if [[ -n $kind && \${words[CURRENT]} != -* ]]; then
    all+=("\${(@f)$(phonebooth completion --values "$kind" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  fi
  _describe 'phonebooth' all || _files
}
if [ "$funcstack[1]" = "_phonebooth" ]; then _phonebooth "$@"; else compdef _phonebooth phonebooth; fi
`;
}

function forFish(places: Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const names = (path: string) => path.split(' ').filter(Boolean);
  const valuesFor = (values: Values) =>
    isKind(values) ? `(phonebooth completion --values ${values} 2>/dev/null)` : values.join(' ');
  const optionWords = ({ word, values, hasValue }: Word) =>
    `-l ${word.slice(2)}${values ? ` -x -a ${quoted(valuesFor(values))}` : hasValue ? ' -r' : ''}`;
  const lines = places.flatMap(({ path, words, argument }) => {
    const own = places.filter(
      (place) => place.path.startsWith(path === '' ? '' : `${path} `) && place.path !== path,
    );
    const next = own.map((place) => names(place.path)[names(path).length]!);
    const seen = names(path).map((name) => `__fish_seen_subcommand_from ${name}`);
    const unseen = next.length > 0 ? [`not __fish_seen_subcommand_from ${[...new Set(next)].join(' ')}`] : [];
    const condition = [...seen, ...unseen].join('; and ');
    const start = `complete -c phonebooth${condition ? ` -n ${quoted(condition)}` : ''}`;
    return [
      ...words.map((word) => {
        const what = word.word.startsWith('--') ? optionWords(word) : `-f -a ${word.word}`;
        return `${start} ${what} -d ${quoted(word.description)}`;
      }),
      ...(argument ? [`${start} -f -a ${quoted(valuesFor(argument))}`] : []),
    ];
  });
  return `# phonebooth, completed by fish\n${lines.join('\n')}\n`;
}
