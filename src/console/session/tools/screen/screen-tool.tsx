import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/message.tsx';
import type { Size } from '../../use-fit.ts';
import { Section } from '../section.tsx';
import type { ToolProps } from '../tool-props.ts';
import { NodeActions } from './node-actions.tsx';
import { NodeAttributes } from './node-attributes.tsx';
import { NodeList } from './node-list.tsx';
import { ScreenOverlay } from './screen-overlay.tsx';
import { flatten, nodeAt, type PlacedNode } from './ui-nodes.ts';

const text = texts.tools.screen;
/** Pause between two reads of the screen. A real phone needs about a second for each. */
const READ_AGAIN_MS = 1_500;

/** Outlines the nodes of the screen over the video, and shows the attributes of the node under the pointer. */
export function ScreenTool({ sessionId, control, overlay, resolution }: ToolProps) {
  const [follow, setFollow] = useState(true);
  const [chosenPath, setChosenPath] = useState<string | null>(null);
  const tree = useQuery({
    queryKey: ['ui-tree', sessionId],
    queryFn: async () => (await control.call('ui.tree', {})).root as UiNode,
    enabled: control.can('ui.tree'),
    refetchInterval: follow ? READ_AGAIN_MS : false,
    gcTime: 0,
    retry: false,
  });
  const nodes = useMemo(() => (tree.data ? flatten(tree.data) : []), [tree.data]);
  const chosen = nodes.find(({ path }) => path === chosenPath) ?? null;
  usePointedAt(overlay, nodes, setChosenPath);
  return (
    <>
      <Section
        title={text.attributes}
        action={
          <label className="flex cursor-pointer items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={follow}
              onChange={(event) => setFollow(event.target.checked)}
              className="size-4 accent-strong"
            />
            {text.follow}
          </label>
        }
      >
        <NodeAttributes node={chosen?.node ?? null} screen={turnedAs(overlay, resolution)} />
        {chosen && <NodeActions node={chosen.node} control={control} />}
        <ErrorNote error={tree.error} />
        {!follow && (
          <Button size="small" className="mt-3" busy={tree.isFetching} onClick={() => void tree.refetch()}>
            {text.refresh}
          </Button>
        )}
      </Section>
      <Section title={text.structure}>
        {tree.isPending && <p className="text-sm text-soft">{text.reading}</p>}
        <NodeList nodes={nodes} chosenPath={chosenPath} onChoose={setChosenPath} />
      </Section>
      {overlay && <ScreenOverlay over={overlay} nodes={nodes} chosen={chosen} />}
    </>
  );
}

/** Returns the screen's size in its current orientation. The description contains the portrait size. */
function turnedAs(screen: HTMLElement | null, { width, height }: Size): Size {
  const lies = screen !== null && screen.clientWidth > screen.clientHeight;
  return lies === width > height ? { width, height } : { width: height, height: width };
}

/** Selects the node under the pointer. The phone still receives the touches. */
function usePointedAt(
  overlay: HTMLElement | null,
  nodes: readonly PlacedNode[],
  onPoint: (path: string) => void,
) {
  useEffect(() => {
    if (!overlay) return;
    const point = (event: PointerEvent) => {
      const box = overlay.getBoundingClientRect();
      const found = nodeAt(
        nodes,
        (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height,
      );
      if (found) onPoint(found.path);
    };
    overlay.addEventListener('pointermove', point);
    return () => overlay.removeEventListener('pointermove', point);
  }, [overlay, nodes, onPoint]);
}
