interface AsTableProps {
  /** Label of the control that shows the table. */
  label: string;
  title: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A chart's figures as a table, for users who prefer or need text. */
export function AsTable({ label, title, heads, rows }: AsTableProps) {
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit rounded py-1 text-soft hover:text-ink">{label}</summary>
      {/* A scrollable box must be focusable, so that the arrow keys can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section aria-label={title} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
        <table className="w-full text-right tabular-nums">
          <caption className="sr-only">{title}</caption>
          <thead className="text-soft">
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col" className="px-2 py-1.5 font-medium first:text-left">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map(([first, ...rest]) => (
              <tr key={first}>
                <th scope="row" className="px-2 py-1.5 text-left font-normal">
                  {first}
                </th>
                {rest.map((value, column) => (
                  <td key={heads[column + 1]} className="px-2 py-1.5">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
