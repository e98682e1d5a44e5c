import { type ReactNode, useState } from 'react';
import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import { MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '../../../contract/http/text-limits.ts';
import { adminTexts } from '../../texts/admin.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useForgetDevice, useUpdateDevice } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { GroupOfDeviceDialog } from './group-of-device-dialog.tsx';
import { MoveDeviceDialog } from './move-device-dialog.tsx';
import { ReleaseDialog } from './release-dialog.tsx';

const text = adminTexts.devices;

export type DeviceAction = 'rename' | 'group' | 'move' | 'maintain' | 'release' | 'forget';

interface DialogProps {
  /** A copy of the device from when the dialog opened, so that updates do not change the form while the user types. */
  device: FleetDevice;
  onClose(): void;
}

const DIALOGS: Record<DeviceAction, (props: DialogProps) => ReactNode> = {
  rename: RenameDialog,
  group: GroupOfDeviceDialog,
  move: MoveDeviceDialog,
  maintain: MaintenanceDialog,
  release: ({ device, onClose }) => (
    <ReleaseDialog
      deviceId={device.id}
      deviceName={device.name}
      accountName={device.session?.account.name ?? ''}
      onClose={onClose}
    />
  ),
  forget: ForgetDialog,
};

export function DeviceDialog({ action, ...props }: DialogProps & { action: DeviceAction }) {
  const Chosen = DIALOGS[action];
  return <Chosen {...props} />;
}

function RenameDialog({ device, onClose }: DialogProps) {
  const [name, setName] = useState(device.name);
  const update = useUpdateDevice();
  const submit = () =>
    update.mutate(
      { deviceId: device.id, change: { name: name.trim() || null } },
      {
        onSuccess: (renamed) => {
          toast(text.renamed(renamed.name));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.renameTitle(device.name)}
      submit={text.renameSubmit}
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.nameField}
        hint={text.nameHint(device.own_name)}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        onChange={setName}
      />
    </FormDialog>
  );
}

function MaintenanceDialog({ device, onClose }: DialogProps) {
  const [note, setNote] = useState(device.maintenance_note ?? '');
  const update = useUpdateDevice();
  const submit = () =>
    update.mutate(
      { deviceId: device.id, change: { maintenance: true, maintenance_note: note.trim() || null } },
      {
        onSuccess: ({ name }) => {
          toast(text.maintained(name));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={device.maintenance ? text.editNoteTitle(device.name) : text.maintainTitle(device.name)}
      explain={device.maintenance ? undefined : text.maintainExplain}
      submit={device.maintenance ? text.saveNote : text.maintainSubmit}
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={text.noteField}
        hint={text.noteHint}
        value={note}
        maxLength={MAX_NOTE_LENGTH}
        autoComplete="off"
        onChange={setNote}
      />
    </FormDialog>
  );
}

function ForgetDialog({ device, onClose }: DialogProps) {
  const forget = useForgetDevice();
  const submit = () =>
    forget.mutate(device.id, {
      onSuccess: () => {
        toast(text.forgotten(device.name));
        onClose();
      },
    });
  return (
    <FormDialog
      title={text.forgetTitle(device.name)}
      explain={text.forgetExplain}
      submit={text.forgetSubmit}
      danger
      pending={forget.isPending}
      error={forget.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
