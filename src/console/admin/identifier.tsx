/** The identifier of a resource, below its name in a list. It is cut off instead of widening its column. */
export function Identifier({ id }: { id: string }) {
  return (
    <p className="w-0 min-w-full truncate text-xs text-soft" title={id}>
      <code>{id}</code>
    </p>
  );
}
