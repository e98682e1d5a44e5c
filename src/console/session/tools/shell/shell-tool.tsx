import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { errorSentence } from '../../../data/error-sentence.ts';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import type { ToolProps } from '../tool-props.ts';
import { appendEntry, recall, type ShellEntry, shownOutput } from './shell-history.ts';

const text = texts.tools.shell;
const MAX_COMMAND_LENGTH = 8192;

/** Runs commands in the phone's shell, each in a separate shell, and shows their output. */
export function ShellTool({ control, shell }: Pick<ToolProps, 'control' | 'shell'>) {
  const [entries, setEntries] = shell;
  const [typed, setTyped] = useState('');
  const commands = entries.map(({ command }) => command);
  const [at, setAt] = useState(commands.length);
  const output = useRef<HTMLDivElement>(null);
  const isRunning = entries.at(-1)?.output === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the new output
  useEffect(() => {
    output.current?.scrollTo({ top: output.current.scrollHeight });
  }, [entries]);
  const run = async (command: string) => {
    const number = (entries.at(-1)?.number ?? -1) + 1;
    const next = appendEntry(entries, { number, command, output: null, exitCode: null });
    setEntries(next);
    setTyped('');
    setAt(next.length);
    const finish = (result: Pick<ShellEntry, 'output' | 'exitCode'>) =>
      setEntries((current) =>
        current.map((entry) => (entry.number === number ? { ...entry, ...result } : entry)),
      );
    try {
      const { stdout, stderr, exit_code } = await control.call('shell', { command });
      finish({ output: shownOutput(`${stdout}${stderr}`), exitCode: exit_code });
    } catch (error) {
      finish({ output: errorSentence(error), exitCode: null });
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (step === null) return;
    event.preventDefault();
    const found = recall(commands, at, step);
    setAt(found.at);
    setTyped(found.command);
  };
  return (
    <div className="flex min-h-64 grow flex-col">
      <div
        ref={output}
        role="log"
        aria-label={text.output}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too
        tabIndex={0}
        className="min-h-0 grow basis-0 overflow-y-auto p-3 font-mono text-xs leading-5 -outline-offset-2"
      >
        {entries.length === 0 && <p className="font-sans text-sm text-soft">{text.empty}</p>}
        {entries.map((entry) => (
          <Entry key={entry.number} entry={entry} />
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '' && !isRunning && control.can('shell')) void run(typed);
        }}
        className="flex shrink-0 items-center gap-2 border-t border-line p-3"
      >
        <span aria-hidden="true" className="font-mono text-sm text-soft">
          $
        </span>
        <input
          aria-label={text.command}
          placeholder={text.placeholder}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_COMMAND_LENGTH}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={press}
          className="h-control-sm min-w-0 grow rounded-lg border border-edge bg-panel px-3 font-mono text-xs placeholder:text-soft"
        />
        <Button size="small" onClick={() => setEntries([])} disabled={isRunning || entries.length === 0}>
          {text.clear}
        </Button>
      </form>
    </div>
  );
}

function Entry({ entry: { command, output, exitCode } }: { entry: ShellEntry }) {
  const hasFailed = output !== null && exitCode !== 0;
  return (
    <div className="mb-2 break-words whitespace-pre-wrap">
      <p className="font-semibold">$ {command}</p>
      {output === null ? (
        <p className="text-soft">{text.running}</p>
      ) : (
        output !== '' && <p className={exitCode === null ? 'text-bad' : ''}>{output}</p>
      )}
      {hasFailed && exitCode !== null && <p className="text-bad">{text.exitCode(exitCode)}</p>}
    </div>
  );
}
