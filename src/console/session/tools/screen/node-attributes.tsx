import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';
import { copyToClipboard } from '../../../ui/copy-to-clipboard.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { CopyIcon } from '../../session-icons.tsx';
import type { Size } from '../../use-fit.ts';
import { appiumSelectorOf, xpathOf } from './selectors.ts';
import type { PlacedNode } from './ui-nodes.ts';

const text = texts.tools.screen;

interface NodeAttributesProps {
  placed: PlacedNode | null;
  nodes: readonly PlacedNode[];
  screen: Size;
}

/** The attributes of one node and how a test finds it. Its bounds are in pixels of the phone's screen. */
export function NodeAttributes({ placed, nodes, screen }: NodeAttributesProps) {
  if (!placed) return <p className="text-sm text-soft">{text.explain}</p>;
  const { node } = placed;
  const copied = [
    [text.text, node.text],
    [text.id, node.id],
    [text.xpath, xpathOf(placed, nodes)],
    [text.appium, appiumSelectorOf(placed, nodes) ?? undefined],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      <Row name={text.role} value={node.role} />
      {copied.map(
        ([name, value]) => value !== undefined && <Row key={name} name={name} value={value} isCopied />,
      )}
      <Row name={text.clickable} value={node.clickable ? text.yes : text.no} />
      <Row name={text.bounds} value={boundsOf(node, screen)} />
    </dl>
  );
}

function boundsOf({ bounds: { x, y, width, height } }: UiNode, screen: Size): string {
  const px = (value: number, of: number) => Math.round(value * of);
  const [left, top] = [px(x, screen.width), px(y, screen.height)];
  return text.area(left, top, px(width, screen.width), px(height, screen.height));
}

function Row({ name, value, isCopied = false }: { name: string; value: string; isCopied?: boolean }) {
  return (
    <div className="contents">
      <dt className="leading-7 text-soft">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1 font-medium tabular-nums">
        <span title={value} className="min-w-0 grow truncate">
          {value}
        </span>
        {isCopied && (
          <IconButton
            label={text.copy(name)}
            icon={<CopyIcon className="size-4" />}
            side="left"
            className="!size-7"
            onClick={() => void copyToClipboard(value)}
          />
        )}
      </dd>
    </div>
  );
}
