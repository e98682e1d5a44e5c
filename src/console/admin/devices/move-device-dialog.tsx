import { useState } from 'react';
import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Labelled } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useHostChoices, useUpdateDevice } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';

const text = adminTexts.devices;

/** Moves a device to another host. If another host also reports the device, that host is preselected. */
export function MoveDeviceDialog({ device, onClose }: { device: FleetDevice; onClose(): void }) {
  const hosts = useHostChoices().filter(({ id, state }) => state !== 'revoked' && id !== device.host.id);
  const [chosen, setChosen] = useState(device.claimed_by?.id);
  const update = useUpdateDevice();
  const first = hosts[0];
  if (!first) {
    return (
      <Dialog title={text.moveTitle(device.name)} onClose={onClose}>
        <p className="text-soft">{text.noOtherHost(device.host.name)}</p>
      </Dialog>
    );
  }
  const hostId = chosen ?? first.id;
  const submit = () =>
    update.mutate(
      { deviceId: device.id, change: { host_id: hostId } },
      {
        onSuccess: ({ name, host }) => {
          toast(text.moved(name, host.name));
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.moveTitle(device.name)}
      explain={text.moveExplain(device.host.name)}
      submit={text.moveSubmit}
      pending={update.isPending}
      error={update.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    >
      <Labelled label={text.moveField}>
        {({ label }) => (
          <Select
            labelledBy={label}
            value={hostId}
            options={hosts.map(({ id, name }) => [id, name] as const)}
            onChange={setChosen}
          />
        )}
      </Labelled>
    </FormDialog>
  );
}
