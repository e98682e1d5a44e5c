/** What keys and the mouse do. */
export function KeyTable({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return (
    <dl className="grid grid-cols-[8.5rem_1fr] gap-x-5 gap-y-2.5 text-sm">
      {rows.map(([input, effect]) => (
        <div key={input} className="contents">
          <dt>
            <kbd className="rounded-md border border-line bg-sunken px-1.5 py-0.5 font-sans font-medium whitespace-nowrap">
              {input}
            </kbd>
          </dt>
          <dd className="text-soft">{effect}</dd>
        </div>
      ))}
    </dl>
  );
}
