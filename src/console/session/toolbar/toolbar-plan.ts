/** Length of a button in CSS pixels along the bar: the usual one, and the one of a low window. */
const BUTTON = { normal: 44, small: 36 } as const;
/** Length of the line between two groups with its margins, and of the bar's padding and border. */
const DIVIDER = 9;
const EDGES = 14;

export interface ToolbarPlan<Id> {
  columns: 1 | 2;
  size: keyof typeof BUTTON;
  /** The groups with the buttons that fit. Empty groups are omitted. */
  groups: readonly (readonly Id[])[];
  /** The buttons that do not fit, in the order of the bar. */
  overflow: readonly Id[];
}

interface Request<Id> {
  /** Length of the available space in CSS pixels: its height for a column, its width for a row. */
  room: number;
  direction: 'column' | 'row';
  groups: readonly (readonly Id[])[];
  /** The buttons that may leave the bar, the first one first. The others always stay. */
  leaving: readonly Id[];
}

const LAYOUTS = {
  column: [
    { columns: 1, size: 'normal' },
    { columns: 1, size: 'small' },
    { columns: 2, size: 'normal' },
    { columns: 2, size: 'small' },
  ],
  // Small screens are used by touch, which needs the larger buttons.
  row: [{ columns: 1, size: 'normal' }],
} as const;

/**
 * Chooses the layout of a toolbar: the first one that fits, from one column of large buttons to two columns of small
 * ones. If none fits, buttons leave the bar until the last one does.
 */
export function planToolbar<Id>({ room, direction, groups, leaving }: Request<Id>): ToolbarPlan<Id> {
  const layouts = LAYOUTS[direction];
  const fitting = layouts.find((layout) => lengthOf(groups, layout) <= room);
  if (fitting) return { ...fitting, groups, overflow: [] };
  const layout = layouts[layouts.length - 1] ?? LAYOUTS.row[0];
  const gone = new Set<Id>();
  let shown = groups;
  for (const id of leaving) {
    gone.add(id);
    shown = groups
      .map((group) => group.filter((other) => !gone.has(other)))
      .filter(({ length }) => length > 0);
    if (lengthOf(shown, layout) <= room) break;
  }
  return { ...layout, groups: shown, overflow: groups.flat().filter((id) => gone.has(id)) };
}

function lengthOf(
  groups: readonly (readonly unknown[])[],
  { columns, size }: Pick<ToolbarPlan<unknown>, 'columns' | 'size'>,
): number {
  const rows = groups.reduce((sum, group) => sum + Math.ceil(group.length / columns), 0);
  return rows * BUTTON[size] + (groups.length - 1) * DIVIDER + EDGES;
}
