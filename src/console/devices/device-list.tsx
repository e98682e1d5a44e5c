import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import { deviceTexts as text } from '../texts/devices.ts';
import { DeviceCard } from './device-card.tsx';
import type { DeviceActions } from './device-entry.ts';
import { DeviceTableRow } from './device-table-row.tsx';
import type { Standing } from './standing-of.ts';
import type { DeviceRows } from './use-device-rows.ts';
import { useColumns, useReportShown, useRowsInView } from './use-rows-in-view.ts';
import type { DeviceView } from './view-switch.tsx';

interface DeviceListProps {
  rows: DeviceRows;
  view: DeviceView;
  sessionOf(device: Device): Session | undefined;
  standingOf(device: Device): Standing;
  isStarred(device: Device): boolean;
  actions: DeviceActions;
  onShown(first: number, last: number): void;
}

/** Renders only the phones in view, so that scrolling through ten thousand phones stays smooth. */
export function DeviceList({ view, ...rest }: DeviceListProps) {
  return view === 'table' ? <Table {...rest} /> : <Grid {...rest} />;
}

type ViewProps = Omit<DeviceListProps, 'view'>;

const between = (first: number, end: number) => Array.from({ length: end - first }, (_, n) => first + n);

/** Height of a card and of the gap below it, in rem. */
const CARD_REM = { card: 11, gap: 0.875 };

function Grid({ rows, sessionOf, standingOf, isStarred, actions, onShown }: ViewProps) {
  const columns = useColumns();
  const rowRem = CARD_REM.card + CARD_REM.gap;
  const view = useRowsInView<HTMLUListElement>({ count: rows.count, columns, rowRem });
  useReportShown(view.first, view.end, onShown);
  return (
    <ul
      ref={view.list}
      aria-label={text.title}
      aria-describedby="device-list-keys"
      onKeyDown={view.onKeyDown}
      style={{ paddingTop: view.above, paddingBottom: view.below, gridAutoRows: `${CARD_REM.card}rem` }}
      className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4 3xl:grid-cols-5"
    >
      {between(view.first, view.end).map((index) => {
        const device = rows.at(index);
        return (
          <li
            key={index}
            data-index={index}
            tabIndex={-1}
            aria-posinset={index + 1}
            aria-setsize={rows.count}
            className="grid min-w-0 rounded-2xl"
          >
            {device ? (
              <DeviceCard
                device={device}
                session={sessionOf(device)}
                standing={standingOf(device)}
                isStarred={isStarred(device)}
                {...actions}
              />
            ) : (
              <div aria-hidden="true" className="breathe rounded-2xl border border-line bg-panel" />
            )}
          </li>
        );
      })}
    </ul>
  );
}

const ROW_REM = 3.75;
const COLUMNS = [
  { title: text.star, className: 'w-14 max-sm:w-12', hidden: true },
  { title: text.name, className: '' },
  { title: text.model, className: 'w-[18%] max-md:hidden' },
  { title: text.os, className: 'w-28 max-lg:hidden' },
  { title: text.screen, className: 'w-42 max-xl:hidden' },
  { title: text.status, className: 'w-52 max-lg:w-36 max-sm:hidden' },
  { title: text.action, className: 'w-44 max-sm:w-38', hidden: true },
];

/**
 * Number of the columns that are shown on every screen. A cell that spans more columns than are shown would add empty
 * ones, which take their share of the width.
 */
const LEAST_COLUMNS = 3;

function Table({ rows, sessionOf, standingOf, isStarred, actions, onShown }: ViewProps) {
  const view = useRowsInView<HTMLTableSectionElement>({ count: rows.count, columns: 1, rowRem: ROW_REM });
  useReportShown(view.first, view.end, onShown);
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-panel shadow-card">
      <table
        aria-rowcount={rows.count + 1}
        aria-describedby="device-list-keys"
        className="w-full table-fixed text-left text-sm"
      >
        <caption className="sr-only">{text.title}</caption>
        <thead className="border-b border-line text-soft">
          <tr aria-rowindex={1}>
            {COLUMNS.map(({ title, className, hidden }) => (
              <th key={title} scope="col" className={`px-3 py-2.5 font-medium ${className}`}>
                <span className={hidden ? 'sr-only' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={view.list} onKeyDown={view.onKeyDown}>
          <Space height={view.above} />
          {between(view.first, view.end).map((index) => {
            const device = rows.at(index);
            return (
              <tr
                key={index}
                data-index={index}
                tabIndex={-1}
                aria-rowindex={index + 2}
                style={{ height: `${ROW_REM}rem` }}
                className="border-t border-line -outline-offset-2 hover:bg-sunken/50"
              >
                {device ? (
                  <DeviceTableRow
                    device={device}
                    session={sessionOf(device)}
                    standing={standingOf(device)}
                    isStarred={isStarred(device)}
                    {...actions}
                  />
                ) : (
                  <td colSpan={LEAST_COLUMNS} className="px-3">
                    <div aria-hidden="true" className="breathe h-4 rounded bg-sunken" />
                  </td>
                )}
              </tr>
            );
          })}
          <Space height={view.below} />
        </tbody>
      </table>
    </div>
  );
}

function Space({ height }: { height: number }) {
  return height > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr aria-hidden="true">
      <td colSpan={LEAST_COLUMNS} style={{ height }} />
    </tr>
  ) : null;
}
