import {
  CONDITION_FIELDS,
  type Conditions,
  type ConditionsReport,
} from '../../contract/sockets/conditions.ts';
import { controlDeadlineMs } from '../../contract/sockets/control-deadlines.ts';
import { actingTool } from '../acting.ts';
import { SPARE_MS } from '../tool.ts';

const setConditions = actingTool({
  name: 'set_conditions',
  title: 'Set the conditions of a phone',
  description:
    'Changes conditions of a phone, such as dark mode, language or time zone, and returns all of them; without any, it only returns them, with the reason for each that the phone cannot change. If one fails, none is changed. They are undone when the phone is disconnected.',
  arguments: CONDITION_FIELDS,
  show: 'none',
  deadlineMs: () => controlDeadlineMs('client', 'conditions.set') + SPARE_MS,
  run: async (wanted: Conditions, { session }, { signal }) => {
    const report = await (Object.keys(wanted).length === 0
      ? session.conditions({ signal })
      : session.setConditions(wanted, { signal }));
    return describe(report);
  },
});

function describe({ values, unsupported }: ConditionsReport): string {
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const refused = Object.entries(unsupported).map(([name, reason]) => `${name} cannot be changed: ${reason}`);
  return [...lines, ...refused].join('\n');
}

export const CONDITION_TOOLS = [setConditions];
