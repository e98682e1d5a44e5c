import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import { texts } from '../../../texts.ts';
import type { LogLine } from './log-feed.ts';
import { LOG_TONES } from './log-tones.ts';

const LINE_HEIGHT = 20;
/** Lines rendered beyond each edge of the view, so that scrolling shows no gap. */
const MARGIN_LINES = 12;

/**
 * Renders only the visible lines, so that thousands of lines stay smooth. It follows the newest line until the user
 * scrolls up.
 */
export function LogLines({ lines, wrap }: { lines: readonly LogLine[]; wrap: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: MARGIN_LINES,
  });
  const { measure } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines get other heights when they wrap
  useLayoutEffect(measure, [wrap, measure]);
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows new lines, and lines that turn out to be higher
  useLayoutEffect(() => {
    if (following.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, height]);
  const shown = rows.getVirtualItems();
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
      }}
      className="min-h-0 grow overflow-auto py-1 font-mono text-xs -outline-offset-2"
    >
      <div className={`relative min-w-full ${wrap ? '' : 'w-max'}`} style={{ height }}>
        <div className={`min-w-full ${wrap ? '' : 'w-max'}`} style={{ paddingTop: shown[0]?.start ?? 0 }}>
          {shown.map(({ index, key }) => {
            const line = lines[index];
            return (
              line && (
                <p
                  key={key}
                  ref={wrap ? rows.measureElement : undefined}
                  data-index={index}
                  title={line.app}
                  className={`min-h-5 px-3 leading-5 ${wrap ? 'break-words whitespace-pre-wrap' : 'whitespace-pre'} ${LOG_TONES[line.level] ?? ''}`}
                >
                  <span className="text-soft">{timeOf(line.time)}</span> {line.level}{' '}
                  <span className="font-semibold">{line.tag}</span> {line.message}
                </p>
              )
            );
          })}
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
