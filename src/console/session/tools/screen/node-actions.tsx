import type { UiNode } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import type { Control } from '../../use-control.ts';
import { DIRECTIONS, middleOf, swipeFrom } from './ui-nodes.ts';

const text = texts.tools.screen;

/** Buttons for touch gestures on a node, for users without a pointer. */
export function NodeActions({ node, control }: { node: UiNode; control: Control }) {
  return (
    <div className="mt-3 flex flex-wrap gap-1.5">
      <Button size="small" disabled={!control.can('tap')} onClick={() => control.run('tap', middleOf(node))}>
        {text.tap}
      </Button>
      {DIRECTIONS.map((direction) => (
        <Button
          key={direction}
          size="small"
          aria-label={text.swipes[direction].name}
          title={text.swipes[direction].name}
          disabled={!control.can('swipe')}
          onClick={() => control.run('swipe', swipeFrom(node, direction))}
          className="!px-3"
        >
          <span aria-hidden="true">{text.swipes[direction].sign}</span>
        </Button>
      ))}
    </div>
  );
}
