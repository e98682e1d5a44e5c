import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import {
  EnableIcon,
  MembersIcon,
  MoreIcon,
  MoveIcon,
  PencilIcon,
  SignOutIcon,
  TrashIcon,
  WrenchIcon,
} from '../../icons.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { groupTexts } from '../../texts/groups.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useUpdateDevice } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import type { DeviceAction } from './device-dialogs.tsx';

const text = adminTexts.devices;

interface DeviceActionsProps {
  device: FleetDevice;
  onAction(action: DeviceAction): void;
}

/** The actions that an operator can perform on a phone in its current state. */
export function DeviceActions({ device, onAction }: DeviceActionsProps) {
  const update = useUpdateDevice();
  const endMaintenance = () =>
    update.mutate(
      { deviceId: device.id, change: { maintenance: false } },
      {
        onSuccess: ({ name }) => toast(text.maintenanceEnded(name)),
        onError: (error) => toast(operatorSentence(error), { tone: 'bad' }),
      },
    );
  return (
    <div className="-my-2 md:flex md:justify-end">
      <Menu label={adminTexts.actionsFor(device.name)} icon={<MoreIcon />} side="bottom">
        <MenuItem icon={<PencilIcon />} onSelect={() => onAction('rename')}>
          {text.rename}
        </MenuItem>
        <MenuItem icon={<MembersIcon />} onSelect={() => onAction('group')}>
          {groupTexts.move}
        </MenuItem>
        {!device.session && (
          <MenuItem icon={<MoveIcon />} onSelect={() => onAction('move')}>
            {text.move}
          </MenuItem>
        )}
        <MenuItem icon={<WrenchIcon />} onSelect={() => onAction('maintain')}>
          {device.maintenance ? text.editNote : text.maintain}
        </MenuItem>
        {device.maintenance && (
          <MenuItem icon={<EnableIcon />} onSelect={endMaintenance}>
            {text.endMaintenance}
          </MenuItem>
        )}
        {device.session && (
          <MenuItem icon={<SignOutIcon />} onSelect={() => onAction('release')}>
            {text.release}
          </MenuItem>
        )}
        {device.condition === 'offline' && (
          <MenuItem icon={<TrashIcon />} onSelect={() => onAction('forget')}>
            {text.forget}
          </MenuItem>
        )}
      </Menu>
    </div>
  );
}
