import type { Session, WebDriverCommand } from '../../contract/http/session.ts';
import { useWebDriverCommands } from '../data/queries.ts';
import { texts } from '../texts.ts';
import { useToolsColumn } from './tools/tools-layout.ts';

const text = texts.session.webDriver;

/** The latest commands of the WebDriver client on a session, newest first. Nothing if there are none. */
export function WebDriverCommands({ session }: { session: Session }) {
  const commands = useWebDriverCommands(session).data ?? [];
  const isColumn = useToolsColumn();
  if (commands.length === 0) return null;
  const place = isColumn ? 'w-72 border-l' : 'max-h-40 border-t';
  return (
    <aside
      aria-label={text.title}
      className={`flex shrink-0 flex-col overflow-y-auto border-line bg-panel ${place}`}
    >
      <details open>
        <summary className="cursor-pointer px-4 py-2.5 font-semibold">{text.title}</summary>
        <ol className="px-4 pb-3 text-xs">
          {commands.map((command) => (
            <Row key={command.id} command={command} />
          ))}
        </ol>
      </details>
    </aside>
  );
}

function Row({
  command: { name, started_at: startedAt, duration_ms: ms, error },
}: {
  command: WebDriverCommand;
}) {
  return (
    <li className="border-t border-line py-1.5">
      <p className="font-mono break-words">{name}</p>
      <p className="flex justify-between gap-3 text-soft">
        <span className={error === null ? '' : 'text-bad'}>
          {error ?? (ms === null ? text.running : text.succeeded)}
        </span>
        <span className="shrink-0">
          {ms !== null && `${text.duration(ms)} · `}
          <time dateTime={startedAt}>{new Date(startedAt).toLocaleTimeString()}</time>
        </span>
      </p>
    </li>
  );
}
