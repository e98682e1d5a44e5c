import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { SearchIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { openerOf, returnFocus } from '../ui/dialog-focus.ts';
import { type Command, findCommands } from './commands.ts';
import { usePaletteCommands } from './use-palette-commands.ts';

const text = texts.palette;
/** More commands than a user reads. A search finds the others. */
const MOST_SHOWN = 60;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

interface PaletteProps {
  onConnect(device: { id: string; name: string }): void;
  onClose(): void;
}

/**
 * Lists the commands of the console to search and run. The focus stays in the search field (ARIA Authoring Practices,
 * Combobox Pattern).
 */
export function Palette({ onConnect, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const base = useId();
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const commands = usePaletteCommands(onConnect);
  const found = findCommands(commands, search).slice(0, MOST_SHOWN);
  const current = found[Math.min(at, found.length - 1)];
  const optionId = (command: Command) => `${base}-${commands.indexOf(command)}`;
  useModal(dialog);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // After the focus has returned, because the command may move it.
    setTimeout(command.run);
  };
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(current);
    else if (step !== undefined) setAt(Math.min(found.length - 1, Math.max(0, at + step)));
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the palette closes it; the key for that is Escape
    <dialog
      ref={dialog}
      aria-label={text.title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="appear mx-auto mt-[12dvh] mb-auto w-[calc(100%-2rem)] max-w-xl overflow-hidden rounded-2xl border border-line bg-panel p-0 text-ink shadow-lift"
    >
      <div className="flex max-h-[min(32rem,70dvh)] flex-col">
        <div className="relative border-b border-line">
          <SearchIcon className="pointer-events-none absolute top-3.5 left-4 size-5 text-soft" />
          <input
            role="combobox"
            aria-label={text.search}
            placeholder={text.search}
            aria-expanded="true"
            aria-controls={`${base}-list`}
            aria-activedescendant={current && optionId(current)}
            autoComplete="off"
            spellCheck={false}
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
              setAt(0);
            }}
            onKeyDown={press}
            className="h-12 w-full bg-transparent pr-4 pl-12 outline-none placeholder:text-soft"
          />
        </div>
        <ul
          id={`${base}-list`}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a list of options of the combobox
          role="listbox"
          aria-label={text.title}
          className="min-h-0 overflow-y-auto p-2"
        >
          {found.map((command, index) => (
            <Option
              key={command.id}
              id={optionId(command)}
              command={command}
              isFirst={found[index - 1]?.group !== command.group}
              isCurrent={command === current}
              onPoint={() => setAt(index)}
              onRun={() => run(command)}
            />
          ))}
        </ul>
        <p role="status" className="px-4 pb-4 text-sm text-soft empty:hidden">
          {found.length === 0 ? text.noMatch : ''}
        </p>
      </div>
    </dialog>
  );
}

/** Opens the dialog while it is mounted, and keeps its selected option in view. */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const opener = openerOf(document.activeElement);
    dialog.current?.showModal();
    return () => returnFocus(opener);
  }, [dialog]);
  useLayoutEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
}

interface OptionProps {
  id: string;
  command: Command;
  /** Whether it is the first one of its group. */
  isFirst: boolean;
  isCurrent: boolean;
  onPoint(): void;
  onRun(): void;
}

function Option({ id, command: { label, group, hint }, isFirst, isCurrent, onPoint, onRun }: OptionProps) {
  return (
    <>
      {isFirst && (
        <li role="presentation" aria-hidden="true" className="px-3 pt-2 pb-1 text-xs font-medium text-soft">
          {group}
        </li>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the search field runs the selected command */}
      <li
        id={id}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an option of the combobox
        role="option"
        tabIndex={-1}
        aria-selected={isCurrent}
        onPointerMove={onPoint}
        onClick={onRun}
        className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm aria-selected:bg-sunken"
      >
        <span className="min-w-0 grow truncate">{label}</span>
        {hint && <kbd className="font-sans text-xs text-soft pointer-coarse:hidden">{hint}</kbd>}
      </li>
    </>
  );
}
