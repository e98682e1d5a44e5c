import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useMemo, useState } from 'react';
import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ErrorNote } from '../../../ui/message.tsx';
import { FIELD } from '../../../ui/select.tsx';
import { fileNameNow, saveFile } from '../../save-file.ts';
import { DownloadIcon, FollowIcon, PickIcon, RefreshIcon } from '../../session-icons.tsx';
import type { Size } from '../../use-fit.ts';
import { Section } from '../section.tsx';
import type { ToolProps } from '../tool-props.ts';
import { NodeActions } from './node-actions.tsx';
import { NodeAttributes } from './node-attributes.tsx';
import { NodeList } from './node-list.tsx';
import { type PointOnPage, ScreenOverlay } from './screen-overlay.tsx';
import { xmlOf } from './selectors.ts';
import { flatten, nodeAt, type PlacedNode, searchNodes } from './ui-nodes.ts';

const text = texts.tools.screen;
/** Pause between two reads of the screen. A real phone needs about a second for each. */
const READ_AGAIN_MS = 1_500;

/** Outlines the nodes of the screen over the video, lists them, and shows the attributes of one of them. */
export function ScreenTool({ sessionId, name, control, overlay, resolution }: ToolProps) {
  const [follow, setFollow] = useState(true);
  const [chosenPath, setChosenPath] = useState<string | null>(null);
  const [listedPath, setListedPath] = useState<string | null>(null);
  const [isPicking, setPicking] = useState(false);
  const tree = useQuery({
    queryKey: ['ui-tree', sessionId],
    queryFn: async () => (await control.call('ui.tree', {})).root as UiNode,
    enabled: control.can('ui.tree'),
    refetchInterval: follow ? READ_AGAIN_MS : false,
    gcTime: 0,
    retry: false,
  });
  const nodes = useMemo(() => (tree.data ? flatten(tree.data) : []), [tree.data]);
  const pointedPath = usePointedAt(overlay, nodes);
  const at = (path: string | null) => nodes.find((placed) => placed.path === path) ?? null;
  const [chosen, pointed] = [at(chosenPath), at(pointedPath ?? listedPath)];
  const shown = at(pointedPath) ?? chosen;
  const screen = turnedAs(overlay, resolution);
  const pick = (at: PointOnPage) => {
    if (overlay) setChosenPath(pathUnder(overlay, nodes, at));
    setPicking(false);
  };
  const save = (root: UiNode) =>
    saveFile(new Blob([xmlOf(root, screen)], { type: 'text/xml' }), fileNameNow(`${name} screen`, '.xml'));
  return (
    <>
      <Section
        title={text.attributes}
        action={
          <ScreenActions
            {...{ isPicking, setPicking, follow, setFollow, isReading: tree.isFetching }}
            hasScreen={overlay !== null && nodes.length > 0}
            onRefresh={() => void tree.refetch()}
            onDownload={() => tree.data && save(tree.data)}
          />
        }
      >
        {isPicking && !pointedPath ? (
          <p role="status" className="text-sm text-soft">
            {text.picking}
          </p>
        ) : (
          <NodeAttributes placed={shown} nodes={nodes} screen={screen} />
        )}
        {shown && <NodeActions node={shown.node} control={control} />}
        <ErrorNote error={tree.error} />
      </Section>
      <NodeSearch
        {...{ nodes, chosenPath, pointedPath }}
        isReading={tree.isPending}
        onChoose={setChosenPath}
        onPoint={setListedPath}
      />
      {overlay && (
        <ScreenOverlay
          over={overlay}
          nodes={nodes}
          chosen={chosen}
          pointed={pointed}
          onPick={isPicking ? pick : null}
        />
      )}
    </>
  );
}

interface ScreenActionsProps {
  isPicking: boolean;
  setPicking(isPicking: boolean): void;
  follow: boolean;
  setFollow(follow: boolean): void;
  isReading: boolean;
  hasScreen: boolean;
  onRefresh(): void;
  onDownload(): void;
}

function ScreenActions({ isPicking, setPicking, follow, setFollow, ...props }: ScreenActionsProps) {
  return (
    <div className="flex items-center">
      <ScreenAction
        label={text.pick}
        icon={<PickIcon />}
        aria-pressed={isPicking}
        data-on={isPicking || undefined}
        disabled={!props.hasScreen}
        onClick={() => setPicking(!isPicking)}
      />
      <ScreenAction
        label={text.follow}
        icon={<FollowIcon />}
        aria-pressed={follow}
        data-on={follow || undefined}
        onClick={() => setFollow(!follow)}
      />
      {!follow && (
        <ScreenAction
          label={text.refresh}
          icon={<RefreshIcon className={`size-5 ${props.isReading ? 'spin' : ''}`} />}
          onClick={props.onRefresh}
        />
      )}
      <ScreenAction
        label={text.download}
        icon={<DownloadIcon />}
        disabled={!props.hasScreen}
        onClick={props.onDownload}
      />
    </div>
  );
}

/** The list of the nodes with a search field. */
function NodeSearch({ nodes, isReading, ...list }: ComponentProps<typeof NodeList> & { isReading: boolean }) {
  const [search, setSearch] = useState('');
  const found = useMemo(() => searchNodes(nodes, search), [nodes, search]);
  return (
    <section className="flex min-h-64 grow basis-0 flex-col p-4">
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className={`${FIELD} mb-2 shrink-0 px-3 placeholder:text-soft`}
      />
      {isReading && <p className="text-sm text-soft">{text.reading}</p>}
      {nodes.length > 0 && found.length === 0 && <p className="text-sm text-soft">{text.noMatch}</p>}
      <NodeList {...list} nodes={found} />
    </section>
  );
}

const ScreenAction = (props: Parameters<typeof IconButton>[0]) => (
  <IconButton {...props} size="small" className="data-on:bg-sunken data-on:text-ink" />
);

/** Returns the screen's size in its current orientation. The description contains the portrait size. */
function turnedAs(screen: HTMLElement | null, { width, height }: Size): Size {
  const lies = screen !== null && screen.clientWidth > screen.clientHeight;
  return lies === width > height ? { width, height } : { width: height, height: width };
}

function pathUnder(
  overlay: HTMLElement,
  nodes: readonly PlacedNode[],
  { clientX, clientY }: PointOnPage,
): string | null {
  const { left, top, width, height } = overlay.getBoundingClientRect();
  return nodeAt(nodes, (clientX - left) / width, (clientY - top) / height)?.path ?? null;
}

/** Returns the node under the pointer on the phone's screen, or null. The phone still receives the touches. */
function usePointedAt(overlay: HTMLElement | null, nodes: readonly PlacedNode[]): string | null {
  const [pointed, setPointed] = useState<string | null>(null);
  useEffect(() => {
    if (!overlay) return;
    const point = (event: PointerEvent) => setPointed(pathUnder(overlay, nodes, event));
    const leave = () => setPointed(null);
    overlay.addEventListener('pointermove', point);
    overlay.addEventListener('pointerleave', leave);
    return () => {
      overlay.removeEventListener('pointermove', point);
      overlay.removeEventListener('pointerleave', leave);
    };
  }, [overlay, nodes]);
  return pointed;
}
