import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';
import type { Size } from '../../use-fit.ts';

const text = texts.tools.screen;

/** The attributes of one node. Its bounds are in pixels of the phone's screen. */
export function NodeAttributes({ node, screen }: { node: UiNode | null; screen: Size }) {
  if (!node) return <p className="text-sm text-soft">{text.explain}</p>;
  const { x, y, width, height } = node.bounds;
  const px = (value: number, of: number) => Math.round(value * of);
  const rows = [
    [text.role, node.role],
    [text.text, node.text],
    [text.id, node.id],
    [text.clickable, node.clickable ? text.yes : text.no],
    [text.position, text.point(px(x, screen.width), px(y, screen.height))],
    [text.size, text.extent(px(width, screen.width), px(height, screen.height))],
  ].filter(([, value]) => value !== undefined);
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 font-medium break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
