import type { ReactNode } from 'react';

export interface Column<Row> {
  title: string;
  cell(row: Row): ReactNode;
  /** Classes of the column's cells and heading: width and alignment on wide screens. */
  className?: string;
  /** Whether the cell is shown without its heading on narrow screens, where a row is a block of lines. */
  speaksForItself?: boolean;
}

interface DataTableProps<Row> {
  /** What the table lists, for users who cannot see the heading above it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

/** A table. On narrow screens each row becomes a block with one line per column that has a value. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-panel shadow-card">
      <table className="w-full text-left text-sm max-md:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-soft max-md:sr-only">
          <tr>
            {columns.map(({ title, className = '' }) => (
              <th key={title} scope="col" className={`px-4 py-2.5 font-medium ${className}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="align-top hover:bg-sunken/50 max-md:block max-md:space-y-1.5 max-md:px-4 max-md:py-3.5"
            >
              {columns.map(({ title, cell, className = '', speaksForItself = false }) => (
                <td
                  key={title}
                  className={`px-4 py-3 ${className} max-md:w-auto max-md:p-0 max-md:text-left ${
                    speaksForItself
                      ? 'max-md:block'
                      : 'max-md:flex max-md:justify-between max-md:gap-4 max-md:has-[>div:empty]:hidden'
                  }`}
                >
                  {!speaksForItself && (
                    <span aria-hidden="true" className="shrink-0 text-soft md:hidden">
                      {title}
                    </span>
                  )}
                  <div className={speaksForItself ? '' : 'min-w-0 max-md:text-right'}>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
