/** The identifier of a resource, below its name in a list. */
export function Identifier({ id }: { id: string }) {
  return (
    <p className="truncate text-xs text-soft" title={id}>
      <code>{id}</code>
    </p>
  );
}
