import { useLayoutEffect, useRef, useState } from 'react';
import { texts } from '../../../texts.ts';
import { useElementSize } from '../../use-fit.ts';
import type { LogLine } from './log-feed.ts';

const LINE_HEIGHT = 20;
/** Lines rendered beyond each edge of the view, so that scrolling shows no gap. */
const MARGIN_LINES = 12;

const TONES: Readonly<Record<string, string>> = {
  V: 'text-soft',
  D: 'text-soft',
  W: 'text-warn',
  E: 'text-bad',
  F: 'text-bad font-semibold',
};

/**
 * Renders only the visible lines, so that thousands of lines stay smooth. It follows the newest line until the user
 * scrolls up.
 */
export function LogLines({ lines }: { lines: readonly LogLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const size = useElementSize(box);
  const [top, setTop] = useState(0);
  const following = useRef(true);
  useLayoutEffect(() => {
    if (following.current && box.current && lines.length > 0)
      box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const first = Math.max(0, Math.floor(top / LINE_HEIGHT) - MARGIN_LINES);
  const count = Math.ceil((size?.height ?? 0) / LINE_HEIGHT) + MARGIN_LINES * 2;
  return (
    <div
      ref={box}
      role="log"
      aria-label={texts.tools.log.label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        const { scrollTop, scrollHeight, clientHeight } = currentTarget;
        following.current = scrollHeight - scrollTop - clientHeight < LINE_HEIGHT * 1.5;
        setTop(scrollTop);
      }}
      className="min-h-0 grow overflow-auto font-mono text-xs -outline-offset-2"
    >
      <div className="relative w-max min-w-full" style={{ height: lines.length * LINE_HEIGHT }}>
        <div className="w-max min-w-full" style={{ paddingTop: first * LINE_HEIGHT }}>
          {lines.slice(first, first + count).map((line) => (
            <p
              key={line.number}
              style={{ height: LINE_HEIGHT }}
              className={`px-3 leading-5 whitespace-pre ${TONES[line.level] ?? ''}`}
            >
              <span className="text-soft">{timeOf(line.time)}</span> {line.level}{' '}
              <span className="font-semibold">{line.tag}</span> {line.message}
            </p>
          ))}
        </div>
      </div>
    </div>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function timeOf(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : clock.format(at);
}
